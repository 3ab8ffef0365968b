import { isJsonObject, type JsonRpcError, McpError } from '../../../jsonrpc/index.ts'
import { LATEST_MODERN, shapeError } from '../../../protocol/index.ts'
import { isLog, toCallerProgress, wantsLog } from '../../client/client-edge.ts'
import type { Exchange, Notification } from '../../exchange.ts'
import { withoutHints } from '../../message-hints.ts'

/** Gives a notification of a call to its caller. A log message that the caller did not ask for goes to `unwanted`. */
export function deliver(
  exchange: Exchange,
  notification: Notification,
  unwanted: (notification: Notification) => void,
): void {
  if (notification.method === 'notifications/progress') {
    const progress = toCallerProgress(notification, exchange)
    if (progress) exchange.notify(withoutHints(progress))
  } else if (isLog(notification) && !wantsLog(exchange, notification)) unwanted(notification)
  else exchange.notify(withoutHints(notification))
}

/** Inside, a resource that does not exist is −32602 (2026-07-28, changelog); its URI stays with it. */
export function modernError(error: JsonRpcError, { method, params }: Exchange): JsonRpcError {
  const shaped = shapeError(method, error, LATEST_MODERN)
  return shaped === error || isJsonObject(error.data) ? shaped : { ...shaped, data: { uri: params.uri } }
}

/**
 * The error for a call that the server had begun when the session was lost. It must not look like an error after which
 * the call can be sent again.
 */
export function undelivered(error: McpError): McpError {
  if (error.code !== 'session_lost') return error
  const message = 'The session was lost while the server waited for an answer, and the call with it'
  return new McpError('closed', message, { cause: error, details: error.details })
}
