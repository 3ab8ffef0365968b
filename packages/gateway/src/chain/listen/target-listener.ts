import { coversUri, type Exchange, type HeldNotifications, type Notification } from '@gantry/mcp/exchange'
import type { SubscriptionFilter } from '@gantry/mcp/server'
import { namesOf, type ListenWish } from '../../targets/listening/shared-listener.ts'
import type { PublicUris } from '../../catalog/public-uris.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import type { CallerCatalog } from '../policy/caller-catalog.ts'
import { maySeeTask } from '../tasks/caller-tasks.ts'
import type { CallerTask } from '../tasks/task-ids.ts'
import { GrowingDelay } from '../../targets/listening/growing-delay.ts'

/** What one target is listened to for: its own names, and what they are to the client. */
export interface Wish {
  readonly resources: Map<string, string>
  readonly tasks: Map<string, CallerTask>
}

/** Who listens. Until it is told so, what it hears is held back. */
export interface Listening {
  readonly exchange: Exchange
  readonly held: HeldNotifications
  /** What the listener may see, under the rules that hold now. */
  visible(): CallerCatalog
  urisOf(catalog: TargetCatalog): PublicUris
}

/** One client's share in listening to a target. After an interruption it announces what may have changed. */
export class TargetListener implements ListenWish {
  /** Resolves when the target has agreed to something for the first time, or has refused. */
  readonly answered: Promise<void>
  readonly filter: SubscriptionFilter
  readonly #catalog: TargetCatalog
  readonly #wish: Wish
  readonly #listening: Listening
  readonly #updates: PacedUpdates
  /** Own names that the target has agreed to. */
  #agreed: { resources: Set<string>; tasks: Set<string> } = { resources: new Set(), tasks: new Set() }
  #answer: () => void = () => {}

  constructor(catalog: TargetCatalog, wish: Wish, listening: Listening) {
    this.#catalog = catalog
    this.#wish = wish
    this.#listening = listening
    this.#updates = new PacedUpdates((notification) => this.#update(notification))
    this.filter = {
      ...(wish.resources.size > 0 && { resourceSubscriptions: [...wish.resources.keys()] }),
      ...(wish.tasks.size > 0 && { taskIds: [...wish.tasks.keys()] }),
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
    return [...this.#wish.resources].filter(([own]) => resources.has(own)).map(([, uri]) => uri)
  }

  get grantedTasks(): string[] {
    const { tasks } = this.#agreed
    return [...this.#wish.tasks.values()].filter(({ own }) => tasks.has(own)).map((one) => one.shown)
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
      if (!this.#isWished(params.uri)) return
      const uri = this.#wish.resources.get(params.uri) ?? this.#uris.toPublic(params.uri)
      this.#updates.add(uri, { ...notification, params: { ...params, uri } })
    } else if (method === 'notifications/tasks' && params) {
      const task = this.#wish.tasks.get(String(params.taskId))
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

  #isWished(own: string): boolean {
    for (const wished of this.#wish.resources.keys()) if (coversUri(wished, own)) return true
    return false
  }
}

/** How many resources may have updates that wait. Beyond that the oldest go. */
const MAX_WAITING = 1000

/** Updates for one listener. Of many updates of one resource the last is enough, and it is never lost. */
export class PacedUpdates {
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
