import {
  complete,
  isJsonObject,
  ProtocolError,
  INVALID_PARAMS,
  type Exchange,
  type Notification,
  type Outcome,
} from '@gantry/mcp/exchange'
import { TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import type { ServerCapabilities, SubscriptionFilter } from '@gantry/mcp/server'
import type { PublicUris } from '../catalog/public-uris.ts'
import type { Target } from '../targets/target.ts'
import type { ListChanges } from './list-changes.ts'
import { publicTask } from './to-public.ts'
import { withParams } from './relayed-exchange.ts'
import type { Resolver } from './resolver.ts'

/**
 * `subscriptions/listen`: list changes are the gateway's own; resource updates come from the targets that own
 * the resources, each listened to for as long as the client listens.
 */
export async function listen(
  exchange: Exchange,
  changes: ListChanges,
  resolver: Resolver,
  capabilities: ServerCapabilities,
): Promise<Outcome> {
  const asked = exchange.params.notifications
  if (!isJsonObject(asked)) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object')
  }
  const granted = grant(asked as SubscriptionFilter, capabilities)
  const wishes = await wishesByOwner(granted, resolver)
  exchange.notify({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: granted },
  })
  for (const [target, wish] of wishes) void keepListening(target, wish, resolver.urisOf(target), exchange)
  await changes.listen(exchange, granted)
  return complete({})
}

function grant(asked: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const granted: SubscriptionFilter = {}
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    if (asked[`${kind}ListChanged`] === true && capabilities[kind]) granted[`${kind}ListChanged`] = true
  }
  if (Array.isArray(asked.resourceSubscriptions) && capabilities.resources) {
    granted.resourceSubscriptions = strings(asked.resourceSubscriptions)
  }
  if (Array.isArray(asked.taskIds) && capabilities.extensions?.[TASKS_EXTENSION]) {
    granted.taskIds = strings(asked.taskIds)
  }
  return granted
}

function strings(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string')
}

/** What one target is listened to for, in its own names. */
interface Wish {
  readonly resourceSubscriptions: string[]
  readonly taskIds: string[]
}

async function wishesByOwner(granted: SubscriptionFilter, resolver: Resolver): Promise<Map<Target, Wish>> {
  const wishes = new Map<Target, Wish>()
  const wishOf = (target: Target): Wish => {
    const wish = wishes.get(target) ?? { resourceSubscriptions: [], taskIds: [] }
    wishes.set(target, wish)
    return wish
  }
  for (const uri of granted.resourceSubscriptions ?? []) {
    const target = await resolver.ownerOf(uri)
    if (target) wishOf(target).resourceSubscriptions.push(resolver.urisOf(target).toOwn(uri))
  }
  for (const taskId of (granted.taskIds as string[] | undefined) ?? []) {
    const owner = resolver.ownerOfTask(taskId)
    if (owner) wishOf(owner.target).taskIds.push(owner.own)
  }
  return wishes
}

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 30_000

/** A target that goes away is listened to again when it is back; what changed meanwhile is announced then. */
async function keepListening(
  target: Target,
  wish: Wish,
  uris: PublicUris,
  exchange: Exchange,
): Promise<void> {
  const { resourceSubscriptions, taskIds } = wish
  const notifications = {
    ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
    ...(taskIds.length > 0 && { taskIds }),
  }
  let pause = FIRST_PAUSE
  let acknowledged = 0
  while (!exchange.signal.aborted) {
    const asked = withParams(exchange, { ...exchange.params, notifications }, (notification) => {
      pause = FIRST_PAUSE
      if (notification.method !== 'notifications/subscriptions/acknowledged') {
        announce(notification, target, uris, exchange)
      } else if (acknowledged++ > 0) announceAll(resourceSubscriptions, uris, exchange)
    })
    await target.handle(asked, { safe: true }).catch(() => {})
    if (exchange.signal.aborted) return
    await new Promise((resolve) => setTimeout(resolve, pause).unref())
    pause = Math.min(LONGEST_PAUSE, pause * 2)
  }
}

function announce(notification: Notification, target: Target, uris: PublicUris, exchange: Exchange): void {
  const { method, params } = notification
  if (method === 'notifications/resources/updated' && typeof params?.uri === 'string') {
    exchange.notify({ ...notification, params: { ...params, uri: uris.toPublic(params.uri) } })
  } else if (method === 'notifications/tasks' && params) {
    exchange.notify({ ...notification, params: publicTask(params, target, uris) })
  }
}

function announceAll(own: readonly string[], uris: PublicUris, exchange: Exchange): void {
  for (const uri of own) {
    exchange.notify({ method: 'notifications/resources/updated', params: { uri: uris.toPublic(uri) } })
  }
}
