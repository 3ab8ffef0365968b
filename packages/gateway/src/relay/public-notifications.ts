import type { Notification } from '@gantry/mcp/exchange'
import { isAnnouncement, updatedUri } from '../targets/shared-listener.ts'
import type { Destination } from './resolver.ts'
import { publicTask } from './to-public.ts'

/** What a target says during a call, in public names. List changes are announced after they were read. */
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
