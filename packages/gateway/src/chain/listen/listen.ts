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
  type SubscriptionMeter,
} from '@gantry/mcp/exchange'
import { TASKS_EXTENSION, type TaskService } from '@gantry/mcp/extensions/tasks'
import type { ServerCapabilities, SubscriptionFilter } from '@gantry/mcp/server'
import type { EndpointCatalog } from '../../catalog/endpoint-catalog.ts'
import { fitsTemplate } from '../../catalog/offers-uri.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import type { CallerCatalog, Policy } from '../policy/caller-catalog.ts'
import type { Resolver } from '../resolve/resolver.ts'
import type { FoundResource } from '../resolve/finder.ts'
import { isElsewhere, maySeeTask, type CallerTasks } from '../tasks/caller-tasks.ts'
import type { CallerTask } from '../tasks/task-ids.ts'
import type { ListChanges } from './list-changes.ts'
import { TargetListener, type Listening, type Wanted } from './target-listener.ts'

/** The time that targets have to acknowledge. After it the client gets its acknowledgement in any case. */
const ACKNOWLEDGE_WITHIN = 5_000

/** Names that are looked up at a time: others get their turn after them. */
const SLICE = 50

export interface ListenHost {
  /** Bounds what clients listen for. */
  readonly subscriptions: SubscriptionMeter
  readonly changes: ListChanges
  readonly catalog: EndpointCatalog
  readonly policy: Policy
  readonly resolver: Resolver
  /** The gateway's own. */
  readonly ownTasks: TaskService
  readonly tasks: CallerTasks
}

/** `subscriptions/listen`, for as long as the client wants, within the limits of all endpoints together. */
export function listen(exchange: GatewayExchange, host: ListenHost): Promise<Outcome> {
  const close = host.subscriptions.open(exchange)
  return listenWithin(exchange, host).finally(close)
}

/** List changes come from the gateway, resource updates from the targets. */
async function listenWithin(exchange: GatewayExchange, host: ListenHost): Promise<Outcome> {
  const { changes, catalog, policy, ownTasks, tasks } = host
  // The targets have to be asked before it is known what can be listened to.
  await exchange.visible.ready()
  const asked = exchange.params.notifications
  if (!isJsonObject(asked)) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object')
  }
  const offered = offer(asked as SubscriptionFilter, exchange.visible.capabilities())
  const wanted = await wantedByOwner(offered, host.resolver, exchange.visible)
  const own = await addTasks(wanted, taskIdsOf(offered), (taskId) => tasks.find(taskId, exchange))
  const elsewhere = [...own.values()].filter(({ at, catalog }) => isElsewhere(at, catalog.target))
  const here = [...own.keys()].filter((id) => !elsewhere.some((task) => task.own === id))
  const ownGranted = here.length > 0 ? await ownTasks.grant({ taskIds: here }, exchange) : {}
  const held = new HeldNotifications((notification) => exchange.notify(notification))
  const patient = deriveExchange(exchange, { notify: held.notify })
  const listening: Listening = {
    exchange: patient,
    held,
    visible: () => policy.visibleTo(exchange),
    urisOf: (one) => catalog.urisOf(one),
  }
  const ended = changes.listen(patient, offered)
  const listeners = [...wanted].map(([owner, objects]) => new TargetListener(owner, objects, listening))
  await firstAnswers(listeners, ended)
  const grantedTasks = [...taskIdsOf(ownGranted), ...elsewhere.map((task) => task.own)].map(
    (id) => own.get(id)!.shown,
  )
  exchange.notify({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: granted(offered, listeners, grantedTasks) },
  })
  held.release()
  const hears = hearing(own, listening, exchange)
  const stop = ownTasks.listen(ownGranted, hears)
  const atRunners = elsewhere.map((task) => tasks.listenAtRunner(task, hears))
  try {
    await Promise.race([ended, ...atRunners])
  } catch (thrown) {
    // A listener that goes away ends what it hears from others as well.
    if (!exchange.signal.aborted) throw thrown
  } finally {
    stop()
  }
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

async function wantedByOwner(
  offered: SubscriptionFilter,
  resolver: Resolver,
  visible: CallerCatalog,
): Promise<Map<TargetCatalog, Wanted>> {
  const wanted = new Map<TargetCatalog, Wanted>()
  for (const [index, uri] of (offered.resourceSubscriptions ?? []).entries()) {
    if (index % SLICE === SLICE - 1) await immediate()
    const found = await resolver.findResource(uri, visible)
    // Servers grant subscriptions to resources that they do not have; denied ones must not stand out.
    const isTold = found && (!visible.isRestricted(found.catalog) || isKnown(found))
    if (isTold) wantedOf(wanted, found.catalog).resources.set(found.own, uri)
  }
  return wanted
}

/** Whether a target lists the resource, or a template that it fits. */
function isKnown({ catalog: { snapshot }, own }: FoundResource): boolean {
  if (!snapshot) return false
  const { resources, templates } = snapshot
  return resources.some(({ uri }) => uri === own) || templates.some((one) => fitsTemplate(one, own))
}

function wantedOf(wanted: Map<TargetCatalog, Wanted>, catalog: TargetCatalog): Wanted {
  const found = wanted.get(catalog) ?? { resources: new Map(), tasks: new Map() }
  wanted.set(catalog, found)
  return found
}

/** Adds the targets' tasks to what they are asked for, and returns the gateway's own by their ids there. */
async function addTasks(
  wanted: Map<TargetCatalog, Wanted>,
  taskIds: readonly string[],
  find: (taskId: string) => Promise<CallerTask | undefined>,
): Promise<Map<string, CallerTask>> {
  const ownTasks = new Map<string, CallerTask>()
  for (const [index, taskId] of taskIds.entries()) {
    if (index % SLICE === SLICE - 1) await immediate()
    const task = await find(taskId)
    if (task?.isOwn) ownTasks.set(task.own, task)
    else if (task) wantedOf(wanted, task.catalog).tasks.set(task.own, task)
  }
  return ownTasks
}

/** The caller of the exchange hears of the gateway's own tasks under the ids that it knows, while it may. */
function hearing(
  own: ReadonlyMap<string, CallerTask>,
  { visible, urisOf }: Listening,
  exchange: GatewayExchange,
): Exchange {
  return deriveExchange(exchange, {
    notify(notification) {
      const { params } = notification
      const task = params && own.get(String(params.taskId))
      if (!task || !maySeeTask(task, visible())) return
      exchange.notify({ ...notification, params: urisOf(task.catalog).task(params, task.shown) })
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

/** Grants nothing that has no owner, or that its owner has refused. */
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
