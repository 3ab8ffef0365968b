import { McpError } from '@gantry/mcp/client'
import { orAbort, ProtocolError, type Exchange, type Outcome, type ParkedCall } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import { StderrRing } from '../telemetry/stderr-ring.ts'
import type { Deadlines } from './deadlines.ts'
import { HeldCalls } from './held-calls.ts'
import type { Instance, TargetState } from './instance.ts'
import { InstancePool } from './instance-pool.ts'
import { instanceKey } from './isolation.ts'
import type { Link } from './link.ts'
import { LinkOpener, type OpenerServices } from './link-opener.ts'
import { Recorder } from './recording/recorder.ts'
import type { SignInOptions } from './target-auth.ts'
import { isAuthFailure, isConnectionLoss, isUndone, TargetError } from './target-error.ts'
import { targetHeaders } from './target-headers.ts'
import { TimedExchange } from './timed-exchange.ts'

/** What all targets of a gateway share. */
export interface TargetServices extends OpenerServices {
  readonly deadlines: Deadlines
  /** How long a connection of one call waits for the next round, in milliseconds. */
  readonly heldFor: number
}

export interface TargetEvents {
  /** State, steps or reason of an instance changed. */
  changed(target: Target): void
  /** A connection is up. */
  ready(target: Target, instance: Instance, link: Link): void
  stderr(target: Target, line: string): void
}

export interface SendOptions {
  /** Whether the request may be repeated when its connection is lost. */
  readonly safe: boolean
  /** Arguments that the target wants mirrored into headers. */
  readonly mirrored?: Record<string, string> | undefined
}

/** One server behind the gateway: its connections, by isolation, and what is asked of them. */
export class Target {
  model: TargetModel
  readonly stderr: StderrRing = new StderrRing()
  /** Starts besides the first of each connection. */
  restarts = 0
  readonly #services: TargetServices
  readonly #events: TargetEvents
  readonly #pool: InstancePool
  readonly #opener: LinkOpener
  readonly #held: HeldCalls
  readonly #timed = new Set<TimedExchange>()
  #recorder: Recorder | undefined
  #suspended = false
  #stopped = false

  constructor(model: TargetModel, services: TargetServices, events: TargetEvents) {
    this.model = model
    this.#services = services
    this.#events = events
    this.#opener = new LinkOpener(model.name, services, (line) => {
      this.stderr.push(line)
      events.stderr(this, line)
    })
    this.#pool = new InstancePool(() => this.model, {
      open: (request) => this.#opener.open(this.model, request),
      changed: () => events.changed(this),
      restarting: () => {
        this.restarts++
      },
      ready: (instance, link) => events.ready(this, instance, link),
    })
    this.#held = new HeldCalls({ ...services, pool: this.#pool })
  }

  /** Takes settings that connections survive. */
  setModel(model: TargetModel): void {
    this.model = model
    this.#pool.configure()
  }

  get name(): string {
    return this.model.name
  }

  get instances(): readonly Instance[] {
    return this.#pool.all
  }

  /** The instance that serves lists, health and everything that belongs to no caller. */
  get main(): Instance {
    return this.#pool.get('')
  }

  get state(): TargetState {
    if (this.#suspended) return 'stopped'
    return this.#pool.find('')?.state ?? 'idle'
  }

  /** Whether asking it would start nothing. */
  get connected(): boolean {
    return this.#pool.find('')?.link !== undefined
  }

  /**
   * Sends an exchange to the connection that its caller is entitled to. Rejects with a TargetError when
   * there is no answer; a lost connection is replaced and the request repeated when that is `safe`.
   */
  async handle(exchange: Exchange, options: SendOptions): Promise<Outcome> {
    this.#check()
    if (this.model.isolation !== 'call') {
      return this.#use(this.#pool.get(instanceKey(this.model.isolation, exchange)), exchange, options)
    }
    return this.#held.run(exchange, (instance, own) => this.#use(instance, own, options))
  }

  /** Sends something of the gateway's own: it belongs to nobody's connection but the main one. */
  async handleOwn(exchange: Exchange): Promise<Outcome> {
    this.#check()
    return this.#use(this.main, exchange, { safe: true })
  }

  /** Gives a parked call its answers; the upstream request is still open. */
  async resume(call: ParkedCall, exchange: Exchange): Promise<Outcome> {
    this.#check()
    try {
      return await this.#timedly(exchange, undefined, (timed) => call.resume(timed))
    } catch (thrown) {
      throw exchange.signal.aborted ? thrown : this.#explain(thrown, false)
    }
  }

  #check(): void {
    const { name } = this
    if (this.#stopped || !this.model.enabled) {
      const why = this.model.disabledReason ?? 'it is switched off in the configuration'
      throw new TargetError(name, 'disabled', `Target "${name}" is off: ${why}`)
    }
    if (this.#suspended) {
      throw new TargetError(name, 'closed', `Target "${name}" was stopped by hand; start it again`)
    }
  }

  async #use(instance: Instance, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    const release = instance.lease()
    try {
      // What lasts as long as its client must not keep others waiting.
      if (exchange.method === 'subscriptions/listen') return await this.#try(instance, exchange, options)
      return await this.#inSlot(instance, exchange, options)
    } finally {
      release()
    }
  }

  async #inSlot(instance: Instance, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    const slot = instance.slots.take(exchange.signal)
    if (slot === undefined) {
      throw new TargetError(this.name, 'busy', `Target "${this.name}" has too many requests waiting`)
    }
    if (slot !== true) await slot
    try {
      return await this.#try(instance, exchange, options)
    } finally {
      instance.slots.release()
    }
  }

  async #try(instance: Instance, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    const headers = targetHeaders(this.model, exchange, options.mirrored)
    const link = await this.#acquire(instance, exchange, headers)
    try {
      return await instance.using(link, () => this.#send(link, exchange, headers))
    } catch (thrown) {
      if (exchange.signal.aborted) throw thrown
      if (isAuthFailure(thrown)) this.#refused(instance, link, thrown as McpError)
      if (!isConnectionLoss(thrown)) throw this.#explain(thrown, options.safe)
      instance.discard(link, thrown as Error)
      // Asking again is safe as well when the server cannot have done anything.
      if (!options.safe && !isUndone(thrown)) throw this.#explain(thrown, false)
      const fresh = await this.#acquire(instance, exchange, headers)
      const again = instance.using(fresh, () => this.#send(fresh, exchange, headers))
      return again.catch((second) => {
        throw this.#explain(second, options.safe)
      })
    }
  }

  #acquire(
    instance: Instance,
    exchange: Exchange,
    headers: Record<string, string> | undefined,
  ): Link | Promise<Link> {
    const link = instance.acquire(instance.key === '' ? undefined : headers)
    return link instanceof Promise ? orAbort(link, exchange.signal) : link
  }

  /** With credentials of the caller's own, a refusal is the caller's affair. */
  #refused(instance: Instance, link: Link, thrown: McpError): void {
    const own = this.model.forwardHeaders.includes('authorization')
    if (!own && thrown.code !== 'forbidden') instance.refuse(link, thrown)
  }

  #explain(thrown: unknown, safe: boolean): unknown {
    if (thrown instanceof ProtocolError) return thrown
    return TargetError.from(this.name, thrown, !safe && !isUndone(thrown))
  }

  #send(link: Link, exchange: Exchange, headers: Record<string, string> | undefined): Promise<Outcome> {
    if (exchange.method !== 'subscriptions/listen') {
      return this.#timedly(exchange, headers, async (timed) => link.handle(timed))
    }
    const timed = new TimedExchange(exchange, headers)
    return Promise.resolve(link.handle(timed.exchange)).finally(() => timed.release())
  }

  /** Time without a sign of life, and time in all, are both limited. */
  async #timedly(
    exchange: Exchange,
    headers: Record<string, string> | undefined,
    run: (timed: Exchange) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { timeouts } = this.model
    const timed = new TimedExchange(exchange, headers)
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
      return await (this.#recorder ? this.#recorder.handle(timed.exchange, run) : run(timed.exchange))
    } finally {
      deadline.clear()
      timed.release()
      this.#timed.delete(timed)
    }
  }

  /** Writes what is asked of the target, and what comes back, to a file until `stopRecording`. */
  async record(file: string): Promise<Recorder> {
    await this.stopRecording()
    const { discovery } = await this.main.acquire()
    const recorder = new Recorder(file, this.name, { ...discovery })
    this.#recorder = recorder
    await recorder.opened.catch((error) => {
      this.#recorder = undefined
      throw error
    })
    return recorder
  }

  /** What is being recorded, if anything is. */
  get recorder(): Recorder | undefined {
    return this.#recorder
  }

  async stopRecording(): Promise<void> {
    const recorder = this.#recorder
    this.#recorder = undefined
    await recorder?.close()
  }

  /** Logs in at the target's authorization server, then connects. Only targets with `oauth` have a login. */
  async signIn(options: SignInOptions = {}): Promise<void> {
    const auth = await this.#opener.auth(this.model)
    if (!auth) throw new McpError('unsupported', `Target "${this.name}" has no "oauth" in the configuration`)
    await auth.signIn(options)
    await this.start()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#pool.close()
    await this.stopRecording()
  }

  /** Stops every connection and makes the main one anew. */
  async restart(): Promise<void> {
    if (this.#pool.size > 0) this.restarts++
    await this.#pool.clear()
    this.#suspended = false
    await this.main.acquire()
  }

  /** Stops every connection and makes no new one until it is started by hand. */
  async suspend(): Promise<void> {
    this.#suspended = true
    await this.#pool.clear()
    this.#events.changed(this)
  }

  /** Connects now, whatever happened before. */
  async start(): Promise<void> {
    this.#suspended = false
    this.main.reset()
    await this.main.acquire()
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
