import { jsonReader } from '@gantry/mcp/exchange'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import { REDACTED } from '../../model/index.ts'
import { ApiError } from '../api-error.ts'
import type { JsonObject, Revision, StartCall } from '../contract.ts'

/** Members that belong to one round or one connection, not to the request. */
const PASSING = ['requestState', 'inputResponses', '_meta', 'cursor']

/** The request of an exchange, to be sent again as the same kind of client. */
export function replayOf(record: ExchangeRecord, changed: JsonObject | undefined): StartCall {
  const { version } = record.client
  return {
    method: record.method,
    params: changed ?? recordedParams(record),
    client: {
      era: version >= '2026-07-28' ? 'modern' : 'legacy',
      revision: version as Revision,
      capabilities: { elicitation: { form: true, url: true }, sampling: {} },
    },
  }
}

function recordedParams(record: ExchangeRecord): JsonObject {
  const first = record.messages?.find(({ hop, direction }) => hop === 'client' && direction === 'in')
  if (!first) {
    throw new ApiError('gone', 'The message of this exchange was not kept', {
      fix: 'Messages are kept only while somebody looks. Leave this page open, and let it happen again.',
    })
  }
  if (first.json.length < first.bytes || first.json.includes(REDACTED)) {
    throw new ApiError('gone', 'The message of this exchange was kept in part only', {
      fix: 'Send the parameters with the request: what was too long or secret is not kept.',
    })
  }
  const { params = {} } = jsonReader('source')(first.json) as { params?: JsonObject }
  return Object.fromEntries(Object.entries(params).filter(([key]) => !PASSING.includes(key)))
}
