import { isModern, jsonReader } from '@gantry/mcp/exchange'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import {
  parseWireFilter,
  type Era,
  type WireDetail,
  type WireList,
  type JsonObject,
  type Revision,
  type StartCall,
  type ToolFigures,
  type WireRecord,
} from '../contract.ts'
import type { Caller, Handlers } from '../handlers.ts'
import { withoutWords } from '../http/roles.ts'
import type { Playground } from '../playground/playground.ts'
import { presentDetail, presentRecord } from './present-messages.ts'
import { newerFirst, pageLength } from './wire-page.ts'
import { REDACTED } from '../../model/index.ts'
import type { Usage } from '../../telemetry/usage/usage-slot.ts'
import { tokensIn } from '../catalog/estimate-tokens.ts'

type WireHandlers = Pick<
  Handlers,
  'tools' | 'wire' | 'wireDetail' | 'wireExport' | 'replayExchange' | 'clearWire'
>

export function wireHandlers(host: AdminHost, playground: Playground): WireHandlers {
  const { gateway } = host
  const { exchanges } = gateway
  const detail = (record: ExchangeRecord): WireDetail => presentDetail(record, eraOf(host, record.target))
  const find = (id: number): ExchangeRecord => {
    const record = exchanges.find(id)
    if (record) return record
    throw new ApiError('not_found', `Exchange ${id} is not kept any more`, {
      fix: '"telemetry.wire.size" in the configuration says how many are kept.',
    })
  }
  return {
    tools: async ({ query }) => {
      const usages = await gateway.usage.read(query?.range ?? '24h', query?.per ?? 'tool')
      return { tools: usages.map(presentUsage) }
    },
    wire: ({ query, caller }) => list(host, query ?? {}, caller),
    wireDetail: ({ params }) => detail(find(params.id)),
    *wireExport({ query }) {
      const matches = parseWireFilter(query?.filter ?? '')
      const ids = query?.ids === undefined ? undefined : new Set(query.ids.split(',').map(Number))
      for (const record of exchanges.recent(Number.POSITIVE_INFINITY).reverse()) {
        if ((!ids || ids.has(record.id)) && matches(presentRecord(record))) yield detail(record)
      }
    },
    replayExchange: ({ params, body, caller }) => {
      const record = find(params.id)
      return { id: playground.start(replayOf(record, body?.params), caller) }
    },
    clearWire: () => {
      exchanges.clear()
      return { ok: true }
    },
  }
}

function list(
  { gateway }: AdminHost,
  {
    limit,
    before = Number.POSITIVE_INFINITY,
    filter = '',
  }: { limit?: number; before?: number; filter?: string },
  caller: Caller,
): WireList {
  const { exchanges, model } = gateway
  const matches = parseWireFilter(filter)
  const records: WireRecord[] = []
  const kept = exchanges.recent(Number.POSITIVE_INFINITY)
  let length = 0
  for (const record of kept.filter(({ at }) => at < before).sort(newerFirst)) {
    // A search does not reach what the caller may not see.
    const presented = withoutWords(presentRecord(record), caller)
    if (matches(presented)) records.push(presented)
    length = pageLength(records, limit)
    // One more than a page tells whether there is another.
    if (length < records.length) break
  }
  const page = records.slice(0, length)
  return {
    records: page,
    ...(records.length > length && { next: page.at(-1)!.at }),
    kept: kept.length,
    capacity: model.telemetry.wire.size,
  }
}

function eraOf({ gateway }: AdminHost, target: string | undefined): Era | undefined {
  if (target === undefined) return undefined
  return gateway.target(target)?.instances.find((instance) => instance.connection)?.connection?.era
}

/** Members that belong to one round or one connection, not to the request. */
const PASSING = ['requestState', 'inputResponses', '_meta', 'cursor']

/** The request of an exchange, to be sent again as the same kind of client. */
function replayOf(record: ExchangeRecord, changed: JsonObject | undefined): StartCall {
  const { version } = record.client
  return {
    method: record.method,
    params: changed ?? recordedParams(record),
    client: {
      era: isModern(version) ? 'modern' : 'legacy',
      revision: version as Revision,
      capabilities: { elicitation: { form: true, url: true }, sampling: {} },
    },
  }
}

function recordedParams(record: ExchangeRecord): JsonObject {
  const first = record.messages?.find(({ hop, direction }) => hop === 'client' && direction === 'in')
  if (!first) {
    throw new ApiError('gone', 'The message of this exchange was not kept', {
      fix: 'Messages are kept only while this page is open. Leave it open, and make the call again.',
    })
  }
  if (first.json.endsWith('…') || first.json.includes(REDACTED)) {
    throw new ApiError('gone', 'The message of this exchange was kept in part only', {
      fix: 'Send the parameters with the request: what was too long or secret is not kept.',
    })
  }
  const { params = {} } = jsonReader('source')(first.json) as { params?: JsonObject }
  return Object.fromEntries(Object.entries(params).filter(([key]) => !PASSING.includes(key)))
}

function presentUsage({ target, tool, client, principal, counts }: Usage): ToolFigures {
  const { calls, errors, bytesIn, bytesOut, lastAt } = counts
  return {
    target,
    ...(tool !== undefined && { name: tool }),
    ...(client !== undefined && { client }),
    ...(principal !== undefined && { principal }),
    calls,
    errors,
    p50: counts.percentile(0.5),
    p95: counts.percentile(0.95),
    bytesIn,
    bytesOut,
    tokensIn: tokensIn(bytesIn),
    tokensOut: tokensIn(bytesOut),
    lastAt,
  }
}
