import { coversUri, type Exchange, type HeldNotifications, type Notification } from '@gantry/mcp/exchange'
import type { SubscriptionFilter } from '@gantry/mcp/server'
import { namesOf, type Subscriber } from '../../targets/listening/shared-listener.ts'
import type { PublicUris } from '../../catalog/public-uris.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import type { CallerCatalog } from '../policy/caller-catalog.ts'
import { maySeeTask } from '../tasks/caller-tasks.ts'
import type { CallerTask } from '../tasks/task-ids.ts'
import { GrowingDelay } from '../../targets/listening/growing-delay.ts'

/** The resources and tasks of one target that a client wants to hear of: from the target's name to the client's. */
export interface Wanted {
  readonly resources: Map<string, string>
  readonly tasks: Map<string, CallerTask>
}

/** A listener. Notifications are held back until it has its acknowledgement. */
export interface Listening {
  readonly exchange: Exchange
  readonly held: HeldNotifications
  /** The listener's catalog, under the rules of now. */
  visible(): CallerCatalog
  urisOf(catalog: TargetCatalog): PublicUris
}

/** One client's share in listening to a target. After an interruption it announces what may have changed. */
export class TargetListener implements Subscriber {
  /** Resolves when the target has agreed to something for the first time, or has refused. */
  readonly answered: Promise<void>
  readonly filter: SubscriptionFilter
  readonly #catalog: TargetCatalog
  readonly #wanted: Wanted
  readonly #listening: Listening
  readonly #updates: CollectedUpdates
  /** Own names that the target has agreed to. */
  #agreed: { resources: Set<string>; tasks: Set<string> } = { resources: new Set(), tasks: new Set() }
  #answer: () => void = () => {}

  constructor(catalog: TargetCatalog, wanted: Wanted, listening: Listening) {
    this.#catalog = catalog
    this.#wanted = wanted
    this.#listening = listening
    this.#updates = new CollectedUpdates((notification) => this.#update(notification))
    this.filter = {
      ...(wanted.resources.size > 0 && { resourceSubscriptions: [...wanted.resources.keys()] }),
      ...(wanted.tasks.size > 0 && { taskIds: [...wanted.tasks.keys()] }),
    }
    this.answered = new Promise((resolve) => {
      this.#answer = resolve
    })
    this.#listen()
  }

  #listen(): void {
    const { exchange } = this.#listening
    const { signal } = exchange
    if (signal.aborted) return
    const stop = this.#catalog.target.listen(this, exchange)
    const end = (): void => {
      stop()
      this.#updates.close()
    }
    signal.addEventListener('abort', end, { once: true })
  }

  get grantedResources(): string[] {
    const { resources } = this.#agreed
    return [...this.#wanted.resources].filter(([own]) => resources.has(own)).map(([, uri]) => uri)
  }

  get grantedTasks(): string[] {
    const { tasks } = this.#agreed
    return [...this.#wanted.tasks.values()].filter(({ own }) => tasks.has(own)).map((one) => one.shown)
  }

  granted(filter: SubscriptionFilter): void {
    const resources = new Set(namesOf(filter, 'resourceSubscriptions'))
    this.#agreed = { resources, tasks: new Set(namesOf(filter, 'taskIds')) }
    this.#answer()
  }

  missed(): void {
    if (!this.#listening.held.isReleased) return
    for (const uri of this.grantedResources) {
      this.#update({ method: 'notifications/resources/updated', params: { uri } })
    }
  }

  heard(notification: Notification): void {
    const { method, params } = notification
    if (method === 'notifications/resources/updated' && typeof params?.uri === 'string') {
      if (!this.#isWanted(params.uri)) return
      const uri = this.#wanted.resources.get(params.uri) ?? this.#uris.toPublic(params.uri)
      this.#updates.add(uri, { ...notification, params: { ...params, uri } })
    } else if (method === 'notifications/tasks' && params) {
      const task = this.#wanted.tasks.get(String(params.taskId))
      if (!task || !maySeeTask(task, this.#listening.visible())) return
      this.#listening.exchange.notify({ ...notification, params: this.#uris.task(params, task.shown) })
    }
  }

  get #uris(): PublicUris {
    return this.#listening.urisOf(this.#catalog)
  }

  /** Policy may have changed since the client began to listen. */
  #update(notification: Notification): void {
    const own = this.#uris.toOwn(String(notification.params?.uri))
    const { exchange, visible } = this.#listening
    if (visible().maySee('resources', this.#catalog, own)) exchange.notify(notification)
  }

  #isWanted(own: string): boolean {
    for (const uri of this.#wanted.resources.keys()) if (coversUri(uri, own)) return true
    return false
  }
}

/** How many resources may have updates that wait. Beyond that the oldest go. */
const MAX_WAITING = 1000

/** Updates for one listener. Of many updates of one resource the last is enough, and it is never lost. */
export class CollectedUpdates {
  readonly #emit: (notification: Notification) => void
  readonly #waiting = new Map<string, Notification>()
  readonly #delay = new GrowingDelay()
  #timer: NodeJS.Timeout | undefined

  constructor(emit: (notification: Notification) => void) {
    this.#emit = emit
  }

  add(uri: string, notification: Notification): void {
    this.#waiting.delete(uri)
    this.#waiting.set(uri, notification)
    if (this.#waiting.size > MAX_WAITING) this.#waiting.delete(this.#waiting.keys().next().value!)
    if (this.#timer) return
    const { wait } = this.#delay
    if (wait === 0) return this.#flush()
    this.#timer = setTimeout(() => this.#flush(), wait)
    this.#timer.unref()
  }

  #flush(): void {
    this.#timer = undefined
    this.#delay.begin()
    const due = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const notification of due) this.#emit(notification)
  }

  /** The last listener is gone. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
  }
}
