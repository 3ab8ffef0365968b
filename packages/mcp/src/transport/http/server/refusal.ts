import { type RequestRefusal, RefusedForLoad, writeError } from '../../../exchange/server/answer.ts'
import { INVALID_REQUEST, type RequestId, classifyMessage } from '../../../jsonrpc/index.ts'
import type { ScopeChallenge, HttpReply } from './reply.ts'
import type { BodyRefusal } from '../../held-bytes.ts'
import { reportSafely } from '../../reports.ts'

export interface HttpRefusal {
  readonly status: number
  readonly headers: Record<string, string>
}

/** The status and headers of an answer that refuses; undefined when HTTP has nothing to say about it. */
export function toHttpRefusal(
  refusal: RequestRefusal | undefined,
  challenge: ScopeChallenge | undefined,
): HttpRefusal | undefined {
  if (refusal === undefined) return undefined
  if ('requiredScopes' in refusal) return challenge?.(refusal.requiredScopes)
  return { status: refusal.status, headers: retryAfter(refusal) }
}

export function refuse(
  reply: HttpReply,
  status: number,
  message: string,
  code: number = INVALID_REQUEST,
): void {
  reply.json(status, writeError(null, { code, message }))
}

export function refuseForLoad(
  reply: HttpReply,
  refusal: RefusedForLoad,
  id: RequestId | null = null,
  headers: Record<string, string> = {},
): void {
  const body = writeError(id, refusal.toJsonRpc())
  reply.json(refusal.status, body, { ...headers, ...retryAfter(refusal) })
}

function retryAfter(refusal: RefusedForLoad): Record<string, string> {
  return { 'retry-after': String(refusal.retryAfter) }
}

export function refuseBody(
  reply: HttpReply,
  { status, message }: BodyRefusal,
  report: ((error: { code: number; message: string }) => void) | undefined,
): void {
  reportSafely(report, { code: INVALID_REQUEST, message })
  if (status !== 429) return refuse(reply, status, message)
  refuseForLoad(reply, new RefusedForLoad(message, { reason: 'bodies' }))
}

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
