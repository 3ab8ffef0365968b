import type { Exchange, Outcome, Served } from '@gantry/mcp/exchange'
import type { EraCache } from '@gantry/mcp/client'
import type { Continuations } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import { McpError } from '@gantry/mcp/client'
import type { TargetModel } from '../model/index.ts'
import type { Deadlines } from './deadlines.ts'
import { Instance, type TargetState } from './instance.ts'
import { instanceKey } from './isolation.ts'
import type { Link } from './link.ts'
import { openLink } from './open-link.ts'
import type { StartGate } from './start-gate.ts'
import { isConnectionLoss, TargetError } from './target-error.ts'
import { TimedExchange } from './timed-exchange.ts'
import type { Handshake } from '../telemetry/handshake.ts'
import { StderrRing } from '../telemetry/stderr-ring.ts'
import type { Tap } from '../telemetry/tap-connector.ts'
import type { WireView } from '../telemetry/wire-view.ts'

/** What all targets of a gateway share. */
export interface TargetServices {
  readonly info: Implementation
  readonly gate: StartGate
  readonly deadlines: Deadlines
  readonly continuations: Continuations
  readonly eras: EraCache
  readonly embedded: ReadonlyMap<string, Served>
  readonly view: WireView
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>): void
}

export interface TargetEvents {
  /** State, steps or reason of an instance changed. */
  changed(target: Target): void
  /** A connection is up. */
  ready(target: Target, instance: Instance, link: Link): void
  stderr(target: Target, line: string): void
}

/** One server behind the gateway: its connections, by isolation, and what is asked of them. */
export class Target {
  model: TargetModel
  readonly #services: TargetServices
  readonly #events: TargetEvents
  readonly #instances = new Map<string, Instance>()
  readonly #timed = new Set<TimedExchange>()
  readonly stderr: StderrRing = new StderrRing()
  /** Starts besides the first of each connection. */
  restarts = 0
  #suspended = false
  #sweep: NodeJS.Timeout | undefined
  #stopped = false

  constructor(model: TargetModel, services: TargetServices, events: TargetEvents) {
    this.model = model
    this.#services = services
    this.#events = events
    if (model.idleStop !== undefined) {
      this.#sweep = setInterval(() => this.#stopIdle(), Math.max(1000, model.idleStop / 4))
      this.#sweep.unref()
    }
  }

  /** Takes settings that connections survive. */
  setModel(model: TargetModel): void {
    this.model = model
  }

  get name(): string {
    return this.model.name
  }

  get instances(): readonly Instance[] {
    return [...this.#instances.values()]
  }

  /** The instance that serves lists, health and everything that belongs to no caller. */
  get main(): Instance {
    return this.#instance('')
  }

  get state(): TargetState {
    if (this.#suspended) return 'stopped'
    return this.#instances.get('')?.state ?? 'idle'
  }

  #instance(key: string): Instance {
    let instance = this.#instances.get(key)
    if (!instance) {
      instance = new Instance(key, {
        model: () => this.model,
        open: (handshake) => this.#open(handshake),
        changed: () => this.#events.changed(this),
        restarting: () => {
          this.restarts++
        },
        ready: (ready, link) => this.#events.ready(this, ready, link),
      })
      this.#instances.set(key, instance)
    }
    return instance
  }

  async #open(handshake: Handshake): Promise<Link> {
    const { name, timeouts } = this.model
    handshake.onBegin = (step, detail) =>
      this.#services.log('info', `${name}: ${step}`, detail === undefined ? {} : { detail })
    handshake.begin('queued')
    return this.#services.gate.run(async () => {
      const timeout = new McpError('timeout', `It did not start within ${timeouts.start} ms`)
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(timeout), timeouts.start)
      try {
        return await openLink(
          this.model,
          {
            ...this.#services,
            tap: this.#tap(handshake),
            handshake,
            onStderr: (line) => {
              this.stderr.push(line)
              this.#events.stderr(this, line)
            },
            onAmbiguous: (method) =>
              this.#services.log(
                'warn',
                `${name} sent ${method} while several calls were under way, and nothing says whose it is; ` +
                  'set "isolation": "session" for this target',
              ),
          },
          controller.signal,
        )
      } finally {
        clearTimeout(timer)
      }
    })
  }

  /** Messages of an exchange go to its record; those of no exchange to the only one under way, if there is one. */
  #tap(handshake: Handshake): Tap {
    const { view } = this.#services
    return {
      get active() {
        return handshake.active || view.watched
      },
      seen: (direction, message, origin) => {
        if (handshake.active) handshake.seen(direction, message)
        if (!view.watched) return
        const record = (origin && view.recordOf(origin)) ?? view.onlyRunning(this.name)
        if (record) view.add(record, { hop: 'target', direction, message })
      },
    }
  }

  /**
   * Sends an exchange to the connection that its caller is entitled to. Rejects with a TargetError when
   * there is no answer; a lost connection is replaced and the request repeated when that is `safe`.
   */
  async handle(exchange: Exchange, safe: boolean): Promise<Outcome> {
    if (this.#stopped || !this.model.enabled) throw this.#disabled()
    if (this.#suspended) throw this.#notStarted()
    const instance = this.#instanceFor(exchange)
    const slot = instance.slots.take()
    if (slot === undefined) {
      throw new TargetError(this.name, 'busy', `Target "${this.name}" has too many requests waiting`)
    }
    if (slot !== true) await slot
    try {
      return await this.#try(instance, exchange, safe)
    } finally {
      instance.slots.release()
      if (this.model.isolation === 'call' && instance.key !== '') await this.#drop(instance)
    }
  }

  #disabled(): TargetError {
    const why = this.model.disabledReason ?? 'it is switched off in the configuration'
    return new TargetError(this.name, 'disabled', `Target "${this.name}" is off: ${why}`)
  }

  #notStarted(): TargetError {
    return new TargetError(this.name, 'closed', `Target "${this.name}" was stopped by hand; start it again`)
  }

  #instanceFor(exchange: Exchange): Instance {
    const key = instanceKey(this.model.isolation, exchange)
    const known = this.#instances.get(key)
    if (known) return known
    if (key !== '' && this.#instances.size >= this.model.maxInstances && !this.#makeRoom()) {
      throw new TargetError(
        this.name,
        'busy',
        `Target "${this.name}" has ${this.model.maxInstances} connections already`,
      )
    }
    return this.#instance(key)
  }

  /** Ends the longest unused connection; false when all are in use. */
  #makeRoom(): boolean {
    const idle = this.instances
      .filter((instance) => instance.key !== '' && instance.slots.used === 0)
      .sort((a, b) => a.lastUsed - b.lastUsed)[0]
    if (!idle) return false
    void this.#drop(idle)
    return true
  }

  async #drop(instance: Instance): Promise<void> {
    this.#instances.delete(instance.key)
    await instance.stop()
    this.#events.changed(this)
  }

  async #try(instance: Instance, exchange: Exchange, safe: boolean): Promise<Outcome> {
    const link = await instance.acquire()
    try {
      return await this.#send(link, exchange)
    } catch (thrown) {
      if (exchange.signal.aborted) throw thrown
      if (!isConnectionLoss(thrown)) throw TargetError.from(this.name, thrown, !safe)
      await instance.discard(link, thrown as Error)
      // A server that no longer knows the session did nothing, so asking again is always safe.
      const again = safe || (thrown as McpError).code === 'session_lost'
      if (!again) throw TargetError.from(this.name, thrown, true)
      const fresh = await instance.acquire()
      return this.#send(fresh, exchange).catch((second) => {
        throw TargetError.from(this.name, second, !safe)
      })
    }
  }

  /** Time without a sign of life, and time in all, are both limited. */
  async #send(link: Link, exchange: Exchange): Promise<Outcome> {
    if (exchange.method === 'subscriptions/listen') return link.handle(exchange)
    const { timeouts } = this.model
    const timed = new TimedExchange(exchange)
    const record = this.#services.view.recordOf(exchange)
    if (record) this.#services.view.alias(timed.exchange, record)
    const deadline = this.#services.deadlines.add({ idle: timeouts.idle, total: timeouts.request }, (why) => {
      const limit = why === 'idle' ? timeouts.idle : timeouts.request
      const words = why === 'idle' ? 'nothing was heard' : 'there was no result'
      timed.abort(new McpError('timeout', `${words} for ${limit} ms, so the request was cancelled`))
    })
    timed.deadline = deadline
    this.#timed.add(timed)
    try {
      return await link.handle(timed.exchange)
    } finally {
      deadline.clear()
      timed.release()
      this.#timed.delete(timed)
    }
  }

  #stopIdle(): void {
    const due = Date.now() - this.model.idleStop!
    for (const instance of this.instances) {
      if (instance.link && instance.slots.used === 0 && instance.lastUsed < due) void this.#drop(instance)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#sweep)
    await Promise.all(this.instances.map((instance) => instance.stop()))
    this.#instances.clear()
  }

  /** Stops every connection and makes the main one anew. */
  async restart(): Promise<void> {
    if (this.#instances.size > 0) this.restarts++
    await this.#dropAll()
    this.#suspended = false
    await this.main.acquire()
  }

  /** Stops every connection and makes no new one until it is started by hand. */
  async suspend(): Promise<void> {
    this.#suspended = true
    await this.#dropAll()
    this.#events.changed(this)
  }

  /** Connects now, whatever happened before. */
  async start(): Promise<void> {
    this.#suspended = false
    this.main.reset()
    await this.main.acquire()
  }

  async #dropAll(): Promise<void> {
    const old = this.instances
    this.#instances.clear()
    await Promise.all(old.map((instance) => instance.stop()))
  }

  /** Ends a request that is under way here; its caller gets an error. False when there is none. */
  cancel(exchange: object, reason: string): boolean {
    for (const timed of this.#timed) {
      if (timed.caller !== exchange) continue
      timed.abort(new McpError('cancelled', reason))
      return true
    }
    return false
  }
}
