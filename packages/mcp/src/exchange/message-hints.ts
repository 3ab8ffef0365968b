import { isJsonObject, type JsonObject, type RequestId, toNumber } from '../jsonrpc/index.ts'
import { META } from '../protocol/index.ts'
import type { Notification, Exchange } from './exchange.ts'

/** Names the request of a message on a shared channel, for clients that asked for it. */
export const RELATED_REQUEST = 'dev.gantry/relatedRequest'

/** Whether the sender of a modern request wants its log messages named. */
export function wantsNamedLogs({ _meta }: JsonObject): boolean {
  return isJsonObject(_meta) && _meta[RELATED_REQUEST] === true
}

/** A log message with the id of its request; other notifications name theirs in their own way. */
export function namedLog(notification: Notification, id: RequestId): Notification {
  if (notification.method !== 'notifications/message') return notification
  const meta = notification.params?._meta
  const _meta = { ...(isJsonObject(meta) ? meta : undefined), [RELATED_REQUEST]: id }
  return { ...notification, params: { ...notification.params, _meta } }
}

export function relatedRequestOf({ params }: { readonly params?: JsonObject | undefined }): unknown {
  return isJsonObject(params?._meta) ? params._meta[RELATED_REQUEST] : undefined
}

/** Tells a gateway the name of a question, for which legacy requests have no place. */
export const INPUT_KEY = 'dev.gantry/inputKey'

/** These hints mean something on one connection only. */
const BETWEEN_US: readonly string[] = [INPUT_KEY, RELATED_REQUEST, META.relatedTask]

/** A question or a notification without the hints of this connection, as the next peer may see it. */
export function withoutHints<Message extends { params?: JsonObject }>(message: Message): Message {
  const meta = message.params?._meta
  if (!isJsonObject(meta) || !BETWEEN_US.some((key) => key in meta)) return message
  const others = { ...meta }
  for (const key of BETWEEN_US) delete others[key]
  const { _meta: _, ...params } = message.params ?? {}
  return { ...message, params: Object.keys(others).length > 0 ? { ...params, _meta: others } : params }
}

/** Tells a server of this SDK that the gateway's client could detach (SEP-1699), and it the gateway. */
export const DETACH_HINT = 'dev.gantry/detach'

const METHOD = `notifications/${DETACH_HINT}`

/** `_meta` for the next hop; nothing where the caller has no stream to let go of. */
export function detachMeta({ detach }: Exchange): JsonObject {
  return detach ? { [DETACH_HINT]: true } : {}
}

export function wantsDetachHint(params: JsonObject): boolean {
  return isJsonObject(params._meta) && params._meta[DETACH_HINT] === true
}

export function detachHint(id: RequestId, retryMs: number | undefined): Notification {
  return {
    method: METHOD,
    params: { ...(retryMs !== undefined && { retryMs }), _meta: { [RELATED_REQUEST]: id } },
  }
}

/** Whose stream to let go of, and for how long; undefined for every other notification. */
export function readDetachHint({
  method,
  params,
}: Notification): { id: unknown; retryMs: number | undefined } | undefined {
  if (method !== METHOD) return undefined
  return { id: relatedRequestOf({ params }), retryMs: toNumber(params?.retryMs) }
}
