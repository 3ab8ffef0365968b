import {
  coversUri,
  isJsonObject,
  type Exchange,
  type HeldNotifications,
  type Notification,
} from '@gantry/mcp/exchange'
import type { PublicUris } from '../catalog/public-uris.ts'
import type { Target } from '../targets/target.ts'
import { PacedUpdates } from './paced-updates.ts'
import { withParams } from './relayed-exchange.ts'
import { isPermitted, type CallerTask } from './caller-tasks.ts'
import type { Resolver } from './resolver.ts'
import { publicTask } from './to-public.ts'

/** What one target is listened to for: its own names, and what they are to the client. */
export interface Wish {
  readonly resources: Map<string, string>
  readonly tasks: Map<string, CallerTask>
}

/** Who listens. Until it is told so, what it hears is held back. */
export interface Listening {
  readonly exchange: Exchange
  readonly held: HeldNotifications
}

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 30_000

/**
 * Listens to a target for as long as the client listens. One that goes away is listened to again when it is
 * back; what may have changed while nobody listened is announced then.
 */
export class TargetListener {
  /** Resolves when the target has acknowledged for the first time, or has failed to. */
  readonly answered: Promise<void>
  readonly #target: Target
  readonly #wish: Wish
  readonly #resolver: Resolver
  readonly #held: HeldNotifications
  readonly #exchange: Exchange
  readonly #updates: PacedUpdates
  #pause = FIRST_PAUSE
  /** Own names that the target has agreed to; undefined while it has not said, for it may still agree. */
  #agreed: { resources: Set<unknown>; tasks: Set<unknown> } | undefined
  #answer: () => void = () => {}

  constructor(target: Target, wish: Wish, resolver: Resolver, { exchange, held }: Listening) {
    this.#target = target
    this.#wish = wish
    this.#resolver = resolver
    this.#held = held
    this.#exchange = exchange
    this.#updates = new PacedUpdates((notification) => this.#update(notification))
    this.answered = new Promise((resolve) => {
      this.#answer = resolve
    })
    void this.#keepListening().finally(() => this.#updates.close())
  }

  get grantedResources(): string[] {
    const agreed = this.#agreed?.resources
    return [...this.#wish.resources].filter(([own]) => agreed?.has(own) ?? true).map(([, uri]) => uri)
  }

  get grantedTasks(): string[] {
    const agreed = this.#agreed?.tasks
    return [...this.#wish.tasks.values()]
      .filter(({ own }) => agreed?.has(own) ?? true)
      .map((one) => one.shown)
  }

  async #keepListening(): Promise<void> {
    const { resources, tasks } = this.#wish
    const notifications = {
      ...(resources.size > 0 && { resourceSubscriptions: [...resources.keys()] }),
      ...(tasks.size > 0 && { taskIds: [...tasks.keys()] }),
    }
    const exchange = this.#exchange
    while (!exchange.signal.aborted) {
      const params = { ...exchange.params, notifications }
      const asked = withParams(exchange, params, (notification) => this.#hear(notification))
      await this.#target.handle(asked, { safe: true }).catch(() => {})
      this.#answer()
      if (exchange.signal.aborted) return
      await new Promise((resolve) => setTimeout(resolve, this.#pause).unref())
      this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2)
    }
  }

  #hear(notification: Notification): void {
    const { method, params } = notification
    this.#pause = FIRST_PAUSE
    if (method === 'notifications/subscriptions/acknowledged') this.#acknowledged(params?.notifications)
    else if (method === 'notifications/resources/updated' && typeof params?.uri === 'string') {
      if (!this.#isWished(params.uri)) return
      const uri = this.#wish.resources.get(params.uri) ?? this.#uris.toPublic(params.uri)
      this.#updates.add(uri, { ...notification, params: { ...params, uri } })
    } else if (method === 'notifications/tasks' && params) {
      const task = this.#wish.tasks.get(String(params.taskId))
      if (!task || !isPermitted(task, this.#exchange, this.#resolver)) return
      this.#exchange.notify({ ...notification, params: publicTask(params, task.shown, this.#uris) })
    }
  }

  get #uris(): PublicUris {
    return this.#resolver.urisOf(this.#target)
  }

  /** Policy may have changed since the client began to listen. */
  #update(notification: Notification): void {
    const own = this.#uris.toOwn(String(notification.params?.uri))
    if (this.#resolver.mayRead(this.#target, own, this.#exchange)) this.#exchange.notify(notification)
  }

  #isWished(own: string): boolean {
    for (const wished of this.#wish.resources.keys()) if (coversUri(wished, own)) return true
    return false
  }

  #acknowledged(agreed: unknown): void {
    const { resourceSubscriptions, taskIds } = isJsonObject(agreed) ? agreed : {}
    this.#agreed = { resources: setOf(resourceSubscriptions), tasks: setOf(taskIds) }
    this.#answer()
    if (!this.#held.isReleased) return
    for (const uri of this.grantedResources) {
      this.#update({ method: 'notifications/resources/updated', params: { uri } })
    }
  }
}

function setOf(values: unknown): Set<unknown> {
  return new Set(Array.isArray(values) ? values : [])
}
