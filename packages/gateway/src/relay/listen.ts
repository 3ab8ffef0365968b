import {
  complete,
  deriveExchange,
  HeldNotifications,
  isJsonObject,
  ProtocolError,
  INVALID_PARAMS,
  type Exchange,
  type Outcome,
} from '@gantry/mcp/exchange'
import { TASKS_EXTENSION, type TaskDesk } from '@gantry/mcp/extensions/tasks'
import type { ServerCapabilities, SubscriptionFilter } from '@gantry/mcp/server'
import type { Target } from '../targets/target.ts'
import type { ListChanges } from './list-changes.ts'
import type { Resolver } from './resolver.ts'
import { isOwnTask } from './own-tasks.ts'
import { TargetListener, type Wish } from './target-listener.ts'

/** How long targets have to acknowledge before the client is told that it is listened for. */
const ACKNOWLEDGE_WITHIN = 5_000

export interface ListenHost {
  readonly changes: ListChanges
  readonly resolver: Resolver
  readonly capabilities: ServerCapabilities
  /** The gateway's own. */
  readonly tasks: TaskDesk
}

/**
 * `subscriptions/listen`: list changes are the gateway's own; resource updates come from the targets that own
 * the resources, each listened to for as long as the client listens. The client is told so when the targets
 * have acknowledged: a change after that reaches it.
 */
export async function listen(
  exchange: Exchange,
  { changes, resolver, capabilities, tasks }: ListenHost,
): Promise<Outcome> {
  const asked = exchange.params.notifications
  if (!isJsonObject(asked)) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object')
  }
  const offered = offer(asked as SubscriptionFilter, capabilities)
  const wishes = await wishesByOwner(offered, resolver, exchange)
  const own = taskIdsOf(offered).filter(isOwnTask)
  const grantedTasks = own.length > 0 ? await tasks.grant({ taskIds: own }, exchange) : {}
  const held = new HeldNotifications((notification) => exchange.notify(notification))
  const patient = deriveExchange(exchange, { notify: held.notify })
  const ended = changes.listen(patient, offered)
  const listeners = [...wishes].map(([target, wish]) => {
    return new TargetListener(target, wish, resolver.urisOf(target), { exchange: patient, held })
  })
  await firstAnswers(listeners, ended)
  exchange.notify({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: granted(offered, listeners, taskIdsOf(grantedTasks)) },
  })
  held.release()
  const stop = tasks.listen(grantedTasks, exchange)
  await ended
  stop()
  return complete({})
}

function offer(asked: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const offered: SubscriptionFilter = {}
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    if (asked[`${kind}ListChanged`] === true && capabilities[kind]) offered[`${kind}ListChanged`] = true
  }
  if (Array.isArray(asked.resourceSubscriptions) && capabilities.resources) {
    offered.resourceSubscriptions = strings(asked.resourceSubscriptions)
  }
  if (Array.isArray(asked.taskIds) && capabilities.extensions?.[TASKS_EXTENSION]) {
    offered.taskIds = strings(asked.taskIds)
  }
  return offered
}

function strings(values: readonly unknown[]): string[] {
  return [...new Set(values)].filter((value) => typeof value === 'string')
}

async function wishesByOwner(
  offered: SubscriptionFilter,
  resolver: Resolver,
  exchange: Exchange,
): Promise<Map<Target, Wish>> {
  const wishes = new Map<Target, Wish>()
  const wishOf = (target: Target): Wish => {
    const wish = wishes.get(target) ?? { resources: new Map(), tasks: new Map() }
    wishes.set(target, wish)
    return wish
  }
  for (const uri of offered.resourceSubscriptions ?? []) {
    const target = await resolver.permittedOwnerOf(uri, exchange)
    if (target) wishOf(target).resources.set(resolver.urisOf(target).toOwn(uri), uri)
  }
  for (const taskId of taskIdsOf(offered)) {
    const owner = resolver.ownerOfTask(taskId)
    if (owner) wishOf(owner.target).tasks.set(owner.own, taskId)
  }
  return wishes
}

function taskIdsOf({ taskIds }: SubscriptionFilter): string[] {
  return (taskIds as string[] | undefined) ?? []
}

async function firstAnswers(listeners: readonly TargetListener[], ended: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ACKNOWLEDGE_WITHIN)
  })
  await Promise.race([Promise.all(listeners.map(({ answered }) => answered)), late, ended])
  clearTimeout(timer)
}

/** What nobody owns, and what its owner has refused, is not granted. */
function granted(
  offered: SubscriptionFilter,
  listeners: readonly TargetListener[],
  ownTasks: readonly string[],
): SubscriptionFilter {
  const { resourceSubscriptions, taskIds, ...lists } = offered
  return {
    ...lists,
    ...(resourceSubscriptions && {
      resourceSubscriptions: listeners.flatMap((listener) => listener.grantedResources),
    }),
    ...(taskIds !== undefined && {
      taskIds: [...ownTasks, ...listeners.flatMap((listener) => listener.grantedTasks)],
    }),
  }
}
