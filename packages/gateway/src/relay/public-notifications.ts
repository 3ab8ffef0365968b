import type { Notification } from '@gantry/mcp/exchange'
import { isAnnouncement, updatedUri } from '../targets/shared-listener.ts'
import type { Destination } from './resolver.ts'
import { publicTask } from './to-public.ts'

/**
 * What a target says while it answers a call, in the names that clients know. News of changes concern all who
 * listen. Changed lists are announced when the gateway has read them, so the caller does not hear of them here.
 */
export function publicNotification(
  notification: Notification,
  { target, uris, task }: Destination,
  mayRead: (own: string) => boolean,
): Notification | undefined {
  const { method, params } = notification
  if (method === 'notifications/progress' || method === 'notifications/message') return notification
  if (isAnnouncement(notification)) {
    target.announce(notification)
    const uri = updatedUri(notification)
    return uri === undefined || !mayRead(uri)
      ? undefined
      : { ...notification, params: { ...params, uri: uris.toPublic(uri) } }
  }
  if (method !== 'notifications/tasks') return notification
  // Before its caller knows the task, it has no name for it.
  return task && params ? { ...notification, params: publicTask(params, task.shown, uris) } : undefined
}
