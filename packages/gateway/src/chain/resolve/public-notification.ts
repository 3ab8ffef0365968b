import type { Notification } from '@gantry/mcp/exchange'
import { updatedUri } from '../../targets/shared-listener.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { publicTask } from './to-public.ts'

/** What a target says while it answers, in the names that clients know. */
export function publicNotification(
  notification: Notification,
  { resolved }: GatewayExchange,
): Notification | undefined {
  const { method, params } = notification
  const { uris, task } = resolved!
  const uri = updatedUri(notification)
  if (uri !== undefined) return { ...notification, params: { ...params, uri: uris.toPublic(uri) } }
  if (method !== 'notifications/tasks') return notification
  // Before its caller knows the task, it has no name for it.
  return task && params ? { ...notification, params: publicTask(params, task.shown, uris) } : undefined
}
