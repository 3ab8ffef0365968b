import { isJsonObject, type JsonObject, type RequestId } from '../jsonrpc/index.ts'
import { META } from '../protocol/index.ts'
import type { Notification } from './exchange.ts'

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
