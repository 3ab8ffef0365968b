import { setImmediate as immediate } from 'node:timers/promises'
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
import { fitsTemplate } from '../catalog/offers-uri.ts'
import type { Target } from '../targets/target.ts'
import { isPermitted, type CallerTask, type CallerTasks } from './caller-tasks.ts'
import type { CallerView } from './caller-view.ts'
import type { ListChanges } from './list-changes.ts'
import type { Resolver } from './resolver.ts'
import type { FoundResource } from './resource-finder.ts'
import { TargetListener, type Wish } from './target-listener.ts'
import { publicTask } from './to-public.ts'

/** How long targets have to acknowledge before the client is told that it is listened for. */
const ACKNOWLEDGE_WITHIN = 5_000

/** Names that are looked up at a time: others get their turn after them. */
const SLICE = 50

export interface ListenHost {
  readonly changes: ListChanges
  readonly resolver: Resolver
  readonly view: CallerView
  /** The gateway's own. */
  readonly tasks: TaskDesk
  readonly callerTasks: CallerTasks
}

/** `subscriptions/listen`: list changes come from the gateway, resource updates from the targets. */
export async function listen(
  exchange: Exchange,
  { changes, resolver, view, tasks, callerTasks }: ListenHost,
): Promise<Outcome> {
  const asked = exchange.params.notifications
  if (!isJsonObject(asked)) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object')
  }
  const offered = offer(asked as SubscriptionFilter, view.capabilities())
  const wishes = await wishesByOwner(offered, resolver, view)
  const desk = await addTasks(wishes, taskIdsOf(offered), (taskId) =>
    callerTasks.find(taskId, exchange, resolver),
  )
  const deskTasks = desk.size > 0 ? await tasks.grant({ taskIds: [...desk.keys()] }, exchange) : {}
  const held = new HeldNotifications((notification) => exchange.notify(notification))
  const patient = deriveExchange(exchange, { notify: held.notify })
  const ended = changes.listen(patient, offered)
  const listeners = [...wishes].map(([target, wish]) => {
    return new TargetListener(target, wish, resolver, { exchange: patient, held })
  })
  await firstAnswers(listeners, ended)
  exchange.notify({
    method: 'notifications/subscriptions/acknowledged',
    params: {
      notifications: granted(
        offered,
        listeners,
        taskIdsOf(deskTasks).map((own) => desk.get(own)!.shown),
      ),
    },
  })
  held.release()
  const stop = tasks.listen(deskTasks, hearing(desk, resolver, exchange))
  await ended
  stop()
  return complete({})
}

function offer(asked: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const offered: SubscriptionFilter = {}
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    if (asked[`${kind}ListChanged`] === true && capabilities[kind]) offered[`${kind}ListChanged`] = true
  }
  const resources = textsOf(asked, 'resourceSubscriptions')
  if (resources && capabilities.resources) offered.resourceSubscriptions = resources
  const taskIds = textsOf(asked, 'taskIds')
  if (taskIds && capabilities.extensions?.[TASKS_EXTENSION]) offered.taskIds = taskIds
  return offered
}

function textsOf(
  asked: SubscriptionFilter,
  member: 'resourceSubscriptions' | 'taskIds',
): string[] | undefined {
  const values: unknown = asked[member]
  if (values === undefined) return undefined
  const isSound = Array.isArray(values) && values.every((value) => typeof value === 'string')
  if (isSound) return [...new Set(values)]
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: "${member}" must be a list of strings`)
}

async function wishesByOwner(
  offered: SubscriptionFilter,
  resolver: Resolver,
  view: CallerView,
): Promise<Map<Target, Wish>> {
  const wishes = new Map<Target, Wish>()
  for (const [index, uri] of (offered.resourceSubscriptions ?? []).entries()) {
    if (index % SLICE === SLICE - 1) await immediate()
    const found = await resolver.findResource(uri, view)
    // Servers grant subscriptions to resources that they do not have; denied ones must not stand out.
    const isTold = found && (!view.isRestricted(found.catalog) || isKnown(found))
    if (isTold) wishOf(wishes, found.catalog.target).resources.set(found.own, uri)
  }
  return wishes
}

/** Whether a target lists the resource, or a template that it fits. */
function isKnown({ catalog: { snapshot }, own }: FoundResource): boolean {
  if (!snapshot) return false
  const { resources, templates } = snapshot
  return resources.some(({ uri }) => uri === own) || templates.some((one) => fitsTemplate(one, own))
}

function wishOf(wishes: Map<Target, Wish>, target: Target): Wish {
  const wish = wishes.get(target) ?? { resources: new Map(), tasks: new Map() }
  wishes.set(target, wish)
  return wish
}

/** Adds the targets' tasks to what they are asked for, and returns the gateway's own by their ids there. */
async function addTasks(
  wishes: Map<Target, Wish>,
  taskIds: readonly string[],
  find: (taskId: string) => Promise<CallerTask | undefined>,
): Promise<Map<string, CallerTask>> {
  const desk = new Map<string, CallerTask>()
  for (const [index, taskId] of taskIds.entries()) {
    if (index % SLICE === SLICE - 1) await immediate()
    const task = await find(taskId)
    if (task?.isDesk) desk.set(task.own, task)
    else if (task) wishOf(wishes, task.target).tasks.set(task.own, task)
  }
  return desk
}

/** The caller of the exchange hears of the gateway's own tasks under the ids that it knows, while it may. */
function hearing(desk: ReadonlyMap<string, CallerTask>, resolver: Resolver, exchange: Exchange): Exchange {
  return deriveExchange(exchange, {
    notify(notification) {
      const { params } = notification
      const task = params && desk.get(String(params.taskId))
      if (!task || !isPermitted(task, exchange, resolver)) return
      exchange.notify({ ...notification, params: publicTask(params, task.shown) })
    },
  })
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
