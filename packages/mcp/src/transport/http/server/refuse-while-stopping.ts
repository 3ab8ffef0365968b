import { RefusedForLoad } from '../../../exchange/server/served.ts'
import { classifyMessage, type RequestId } from '../../../jsonrpc/index.ts'
import { refuseForLoad } from './refusal.ts'
import type { HttpReply } from './reply.ts'

/** Refuses what a server that stops does not begin any more. The client comes back on another connection. */
export function refuseWhileStopping(reply: HttpReply, id: RequestId | null = null): void {
  const message = 'The server is shutting down and takes no new requests: ask again'
  const refusal = new RefusedForLoad(message, { reason: 'shutting_down', status: 503 })
  refuseForLoad(reply, refusal, id, { connection: 'close' })
}

/** The request that a body holds; a batch with requests has no id of its own. */
export function requestIn(value: unknown): { readonly id: RequestId | null } | undefined {
  if (Array.isArray(value)) return value.some(requestIn) ? { id: null } : undefined
  const parsed = classifyMessage(value)
  return parsed.kind === 'request' ? parsed.message : undefined
}
