import { describePrincipal, isJsonObject } from '@gantry/mcp/exchange'
import type { WaitingCall as WaitingOf } from '../../telemetry/stats.ts'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import type { AdminHost } from '../admin-host.ts'
import type { WaitingCall } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import type { Playground } from '../playground/playground.ts'
import { whyUnanswerable } from '../targets/why-off.ts'

type Waiting = WaitingOf<ExchangeRecord>

export interface WaitingSources {
  readonly host: AdminHost
  readonly playground: Playground
}

export function waitingHandlers({ host, playground }: WaitingSources): Pick<Handlers, 'waiting'> {
  const { waiting } = host.gateway.exchanges
  return {
    waiting: () => {
      const { parkedFor } = host.gateway.model.server.limits
      const calls = waiting.list(Date.now() - parkedFor)
      const isRunning = ({ record: { tag } }: Waiting): boolean => !tag || playground.isRunning(tag.id)
      return { calls: calls.filter((call) => isRunning(call) && isAsking(call, host)).map(present) }
    },
  }
}

/** A call that is under way may end on a target that is off: its process ends after it. */
function isAsking({ record }: Waiting, { gateway }: AdminHost): boolean {
  if (record.target === undefined) return false
  if (record.status !== 'running') return whyUnanswerable(gateway, record) === undefined
  return record.isAskerThere?.() !== false
}

function present({ record, since, questions }: Waiting): WaitingCall {
  const { id, method, name, target, client, tag } = record
  return {
    id,
    since,
    method,
    ...(name !== undefined && { name }),
    ...(target !== undefined && { target }),
    client: {
      ...(client.name !== undefined && { name: client.name }),
      ...(client.principal !== undefined && { principal: describePrincipal(client.principal) }),
    },
    ...(tag && { call: tag.id }),
    questions: Object.values(questions).map(({ method: asked, params }) => ({
      method: asked,
      ...(isJsonObject(params) && typeof params.message === 'string' && { message: params.message }),
    })),
  }
}
