import { isJsonObject, type JsonObject, type RequestId } from '../jsonrpc/index.ts'
import type { Notification } from './exchange.ts'

/**
 * Names the request that a message on a shared channel belongs to. A client that wants log messages named says so: a
 * legacy one among its experimental capabilities, a modern one in the `_meta` of the request. Others ignore it.
 */
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

/** The id of the request that a message names. */
export function relatedRequestOf({ params }: { readonly params?: JsonObject | undefined }): unknown {
  return isJsonObject(params?._meta) ? params._meta[RELATED_REQUEST] : undefined
}
