import { describePrincipal } from '@gantry/mcp/exchange'
import type { ExchangeRecord } from '../../telemetry/wire-view.ts'
import type { WireRecord } from '../contract.ts'
import { publicId } from '../public-id.ts'

export function presentRecord(record: ExchangeRecord): WireRecord {
  const { client, name, target, durationMs, error } = record
  return {
    id: record.id,
    at: record.at,
    method: record.method,
    ...(name !== undefined && { name }),
    ...(target !== undefined && { target }),
    client: {
      ...(client.name !== undefined && { name: client.name }),
      revision: client.version,
      ...(client.session !== undefined && { session: publicId(client.session) }),
      ...(client.principal !== undefined && { principal: describePrincipal(client.principal) }),
    },
    status: record.status,
    ...(durationMs !== undefined && { duration: durationMs }),
    ...(error !== undefined && { error }),
    messages: record.messages?.length ?? 0,
  }
}
