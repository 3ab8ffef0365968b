import { describePrincipal, isJsonObject } from '@gantry/mcp/exchange'
import type { WaitingCall as WaitingOf } from '../../telemetry/stats.ts'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import type { AdminHost } from '../admin-host.ts'
import type { WaitingCall } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import type { Playground } from '../playground/playground.ts'
import { mainOf } from '../targets/target-cards.ts'
import { whyOff } from '../targets/why-off.ts'

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

/**
 * Answers of a client that has to come back reach no target that is off; a call under way may end on it. A target that
 * went down meanwhile has forgotten what it asked.
 */
function isAsking({ record, since }: Waiting, { gateway }: AdminHost): boolean {
  if (record.target === undefined) return false
  const isUnderWay = record.status === 'running'
  if (!isUnderWay && whyOff(gateway, record.target)) return false
  const target = gateway.target(record.target)
  const main = target && mainOf(target)
  return !main || (main.state === 'ready' && main.since <= since)
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
