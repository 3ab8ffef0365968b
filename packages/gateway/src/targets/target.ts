import { McpError } from '@gantry/mcp/client'
import {
  callerKey,
  cancellationOf,
  orAbort,
  ProtocolError,
  type Exchange,
  type Notification,
  type Outcome,
  type ParkedCall,
} from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import type { ExchangeRecord } from '../telemetry/wire-view.ts'
import { StderrRing } from '../telemetry/stderr-ring.ts'
import { Connections } from './connections.ts'
import type { Deadlines } from './deadlines.ts'
import type { Instance, TargetState } from './instance.ts'
import { readAffinity } from './call-affinity.ts'
import { instanceKey, isSharedKey, legacyKey } from './isolation.ts'
import { type Connection, LearnedIsolation, ownConnection, SHARED } from './learned-isolation.ts'
import type { Link } from './link.ts'
import type { OpenerServices } from './link-opener.ts'
import type { EraDifferences, OlderEra } from './older-era.ts'
import { Recorder } from './recording/recorder.ts'
import { linkMark, serverMark } from './server-mark.ts'
import { stateLog } from './state-log.ts'
import { Succession } from './succession.ts'
import type { SignInOptions } from './target-auth.ts'
import { isAuthFailure, isConnectionLoss, isUndone, TargetError } from './target-error.ts'
import { TargetListeners } from './target-listeners.ts'
import { isAnnouncement, type ListenWish } from './shared-listener.ts'
import { targetHeaders } from './target-headers.ts'
import { TimedCalls } from './timed-calls.ts'
import { NO_LIMITS, TargetExchange } from './target-exchange.ts'

/** How long a call waits for a connection in an era that its server does not name. */
const TRY_OLDER_ERA = 10_000

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
  /** Insists on the older era, or on the newer one, where the server has both. */
  readonly older?: boolean | undefined
  /** Whether it is the gateway's, and nobody's call. */
  readonly own?: boolean | undefined
}

/** One server behind the gateway: its connections, by isolation, and what is asked of them. */
export class Target {
  model: TargetModel
  readonly stderr: StderrRing = new StderrRing()
  /** Starts besides the first of each connection. */
  restarts = 0
  readonly #events: TargetEvents
  readonly #services: TargetServices
  readonly #succession: Succession
  readonly #calls: TimedCalls
  readonly #listeners: TargetListeners
  readonly #learned = new LearnedIsolation()
  #suspended = false
  #stopped = false

  constructor(model: TargetModel, services: TargetServices, events: TargetEvents) {
    this.model = model
    this.#events = events
    this.#services = services
    this.#succession = new Succession(model, {
      create: (settings, isChange) => this.#connections(settings, isChange),
      mayConnect: () => !this.#suspended,
      changed: () => events.changed(this),
    })
    this.#listeners = new TargetListeners({
      info: services.info,
      pool: () => this.#current.pool,
      model: () => this.model,
      listen: async (instance, exchange) => {
        this.#check()
        return this.#use(instance, exchange, { safe: true, own: true })
      },
      listenIdly: (instance, exchange) =>
        this.#listen(instance.link!, exchange, targetHeaders(this.model, exchange)),
    })
    this.#calls = new TimedCalls(() => this.model.timeouts, services)
  }

  #connections(model: TargetModel, isChange: boolean): Connections {
    const events = this.#events
    const logState = stateLog(model.name, this.#services.log)
    return new Connections(
      model,
      this.#services,
      {
        changed: (instance) => {
          logState(instance)
          events.changed(this)
        },
        restarting: () => {
          this.restarts++
        },
        ready: (instance, link) => {
          events.ready(this, instance, link)
          this.#listeners.connected(instance)
        },
        notification: (instance, notification) => {
          if (isAnnouncement(notification)) this.#listeners.announce(notification, instance.key)
        },
        sharedQuestion: (instance, exchange) => this.#learn(instance, exchange),
        stderr: (line) => {
          this.stderr.push(line)
          events.stderr(this, line)
        },
      },
      isChange,
    )
  }

  /** Takes settings that connections survive. */
  setModel(model: TargetModel): void {
    this.model = model
    this.#succession.setModel(model)
  }

  /** Takes settings that need new connections: no call fails because of that. */
  replace(model: TargetModel): Promise<void> {
    this.model = model
    return this.#succession.replace(model)
  }

  /** Takes no new calls, and stops when those under way have ended. */
  async retire(): Promise<void> {
    this.#stopped = true
    await this.#succession.retire()
    await this.stop()
  }

  get #current(): Connections {
    return this.#succession.current
  }

  get name(): string {
    return this.model.name
  }

  get instances(): readonly Instance[] {
    return this.#succession.all.flatMap(({ pool }) => pool.all)
  }

  /** The instance that serves lists, health and everything that belongs to no caller. */
  get main(): Instance {
    return this.#current.main
  }

  get state(): TargetState {
    if (this.#suspended) return 'stopped'
    return this.#current.pool.find('')?.state ?? 'idle'
  }

  /** Whether asking it would start nothing. */
  get connected(): boolean {
    return this.#succession.isConnected
  }

  /** Marks the server that an exchange goes to. */
  serverOf(exchange: Exchange): string {
    return serverMark(this.#succession.ownerOf(exchange).model)
  }

  /**
   * Marks the process that has the tasks of a caller. A process that is started again counts its tasks anew, so an
   * id from before would be the task of another. Empty where tasks may outlive a connection.
   */
  processOf(exchange: Exchange): string {
    const { model, pool } = this.#succession.ownerOf(exchange)
    if (model.kind !== 'stdio' || readAffinity(exchange)) return ''
    const { key } = this.#connectionFor(exchange, false)
    return [key, legacyKey(key)].map((one) => linkMark(pool.find(one)?.link)).join('.')
  }

  /** Sends an exchange to its caller's connection. Repeats a lost request when that is `safe`. */
  async handle(exchange: Exchange, options: SendOptions): Promise<Outcome> {
    this.#check()
    const { olderEra } = this.#current
    const wantsOlder = options.older ?? olderEra.wants(exchange)
    const connection = this.#connectionFor(exchange, wantsOlder)
    if (!wantsOlder || readAffinity(exchange)) return this.#useAt(connection, exchange, options)
    const older = await this.#inOlderEra(connection, exchange)
    if (older === undefined) return this.#useAt(connection, exchange, options)
    const outcome = await this.#useAt(older, exchange, options)
    if (!olderEra.needsNewer(exchange, outcome)) return outcome
    return this.#useAt(this.#connectionFor(exchange, false), exchange, options)
  }

  #useAt(connection: Connection, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    const { key, isOwn } = connection
    if (!isOwn) return this.#use(this.#current.pool.get(key), exchange, options)
    const { held } = this.#succession.ownerOf(exchange)
    return held.run(exchange, (instance, own) => this.#use(instance, own, options), key)
  }

  /** Whether the server speaks the older era too. Where it does not say so, that is tried. */
  async hasOlderEra(exchange: Exchange): Promise<boolean> {
    const { olderEra, pool } = this.#current
    await this.#lookAtEra('', exchange)
    if (!olderEra.isDoubtful) return olderEra.mayBeThere
    const found = await this.#openOlder('', exchange)
    // The connections of single callers are others.
    const { isolation } = this.model
    if (found && isolation !== 'auto' && isolation !== 'shared') void pool.drop(found)
    return found !== undefined
  }

  /** The same connection in the older era, where the server has both; made when it is first wanted. */
  async #inOlderEra({ key, isOwn = false }: Connection, exchange: Exchange): Promise<Connection | undefined> {
    const older = { key: legacyKey(key), isOwn }
    if (isOwn) return (await this.hasOlderEra(exchange)) ? older : undefined
    await this.#lookAtEra(key, exchange)
    return (await this.#openOlder(key, exchange)) && older
  }

  async #lookAtEra(key: string, exchange: Exchange): Promise<void> {
    const { olderEra, pool } = this.#current
    if (!olderEra.isUnknown) return
    const headers = targetHeaders(this.model, exchange)
    olderEra.note(this.model, await this.#acquire(pool.get(key), exchange, headers))
  }

  async #openOlder(key: string, exchange: Exchange): Promise<Instance | undefined> {
    const { olderEra, pool } = this.#current
    if (!olderEra.mayBeThere) return undefined
    const limit = olderEra.isDoubtful ? AbortSignal.timeout(TRY_OLDER_ERA) : undefined
    const older = pool.get(legacyKey(key))
    try {
      const opening = this.#acquire(older, exchange, targetHeaders(this.model, exchange))
      if (opening instanceof Promise) await (limit ? orAbort(opening, limit) : opening)
      olderEra.proved()
      return older
    } catch (thrown) {
      if (cancellationOf(exchange).aborted) throw thrown
      // The newer era does what it can.
      if (olderEra.failed(thrown)) void pool.drop(older)
      return undefined
    }
  }

  /** What is known of the older era of its server. */
  get olderEra(): OlderEra {
    return this.#current.olderEra
  }

  /** The connection of everybody in the older era, where one is open. */
  get older(): Instance | undefined {
    const older = this.#current.pool.find(legacyKey(''))
    return older?.link && older
  }

  /** Takes what the connections of its two eras offer, where that is not the same. */
  setDifferences(differences: EraDifferences): void {
    this.#current.olderEra.differences = differences
  }

  #connectionFor(exchange: Exchange, wantsOlder: boolean): Connection {
    const { isolation } = this.model
    if (isolation === 'call') return ownConnection(exchange)
    if (isolation !== 'auto') return { key: instanceKey(isolation, exchange) }
    if (!this.#learned.asks) return SHARED
    if (readAffinity(exchange)) return ownConnection(exchange)
    const { pool, olderEra } = this.#current
    // Questions that may be anybody's come on connections of the older era only.
    if (!wantsOlder && olderEra.hasNewer) return SHARED
    const shared = pool.find(olderEra.hasNewer ? legacyKey('') : '')
    const own = this.#learned.connectionFor(exchange, shared)
    // The tasks of a caller that has no connection yet were made on the shared one.
    const isTask = exchange.method.startsWith('tasks/')
    return isTask && !pool.find(own.key) ? SHARED : own
  }

  /** Whether each caller has a connection of its own because the server asks questions. */
  get isolatesByItself(): boolean {
    return this.model.isolation === 'auto' && this.#learned.asks
  }

  /** What happens on the connection of one caller is no news. */
  #learn(instance: Instance, exchange: Exchange | undefined): void {
    const isNews =
      this.model.isolation === 'auto' && isSharedKey(instance.key) && this.#learned.learn(exchange)
    if (!isNews) return
    const message =
      `${this.name} asks its clients questions: from now on each session has a connection of its own. ` +
      'Set "isolation" to decide this yourself'
    this.#services.log('info', message, { target: this.name })
    this.#events.changed(this)
  }

  /** Sends something of the gateway's own: it belongs to no connection of a caller. */
  async handleOwn(exchange: Exchange, instance: Instance = this.main): Promise<Outcome> {
    this.#check()
    return this.#use(instance, exchange, { safe: true, own: true })
  }

  /** Listens to the connection that a caller is entitled to; without a caller, to the main one. */
  listen(wish: ListenWish, caller?: Exchange): () => void {
    return this.#listeners.add(wish, caller)
  }

  /** Tells all who listen what the target said outside of any subscription. */
  announce(notification: Notification): void {
    this.#listeners.announce(notification, '')
  }

  /** Gives a parked call its answers; the upstream request is still open. */
  async resume(call: ParkedCall, exchange: Exchange): Promise<Outcome> {
    this.#check()
    try {
      return await this.#calls.run(exchange, undefined, (timed) => call.resume(timed))
    } catch (thrown) {
      throw cancellationOf(exchange).aborted ? thrown : this.#explain(thrown, false)
    }
  }

  #check(): void {
    const { name } = this
    if (this.#stopped || !this.model.enabled) {
      const off = this.#stopped ? 'it was removed' : 'it is switched off in the configuration'
      const why = this.model.disabledReason ?? off
      throw new TargetError(name, 'disabled', `Target "${name}" is off: ${why}`)
    }
    if (this.#suspended) {
      throw new TargetError(name, 'stopped', `Target "${name}" was stopped by hand; start it again`)
    }
  }

  async #use(instance: Instance, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    const release = instance.lease()
    // What lasts as long as its client must not keep others waiting.
    const needsSlot = exchange.method !== 'subscriptions/listen'
    let holdsSlot = false
    const isCall = options.own !== true
    if (isCall) instance.calls++
    if (!needsSlot) instance.listeners++
    try {
      if (needsSlot) {
        const waiting = this.#takeSlot(instance, exchange)
        if (waiting) await waiting
        holdsSlot = true
      }
      const outcome = await this.#try(instance, exchange, options)
      // That a server lists its tools does not mean that it can be called.
      if (isCall) instance.proved()
      return outcome
    } finally {
      if (isCall) instance.calls--
      if (!needsSlot) instance.listeners--
      if (holdsSlot) instance.slots.release()
      release()
    }
  }

  /** A promise when all are taken. */
  #takeSlot(instance: Instance, exchange: Exchange): Promise<void> | undefined {
    const slot = instance.slots.take(() => callerKey(exchange), cancellationOf(exchange))
    if (slot === undefined) {
      throw new TargetError(
        this.name,
        'busy',
        `Target "${this.name}" has too many requests of this caller waiting`,
      )
    }
    return slot === true ? undefined : slot
  }

  async #try(instance: Instance, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    const headers = targetHeaders(this.model, exchange, options.mirrored)
    const found = this.#acquire(instance, exchange, headers)
    const link = found instanceof Promise ? await found : found
    try {
      return await this.#ask(instance, link, exchange, headers)
    } catch (thrown) {
      if (cancellationOf(exchange).aborted) throw thrown
      if (isAuthFailure(thrown)) this.#refused(instance, link, thrown as McpError)
      if (!isConnectionLoss(thrown)) throw this.#explain(thrown, options.safe)
      instance.discard(link, thrown as Error)
      // Asking again is safe as well when the server cannot have done anything.
      if (!options.safe && !isUndone(thrown)) throw this.#explain(thrown, false)
      const fresh = await this.#acquire(instance, exchange, headers)
      return this.#ask(instance, fresh, exchange, headers).catch((second) => {
        throw this.#explain(second, options.safe)
      })
    }
  }

  #acquire(
    instance: Instance,
    exchange: Exchange,
    headers: Record<string, string> | undefined,
  ): Link | Promise<Link> {
    const link = instance.acquire(isSharedKey(instance.key) ? undefined : headers)
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

  async #ask(
    instance: Instance,
    link: Link,
    exchange: Exchange,
    headers: Record<string, string> | undefined,
  ): Promise<Outcome> {
    instance.use(link)
    try {
      if (exchange.method === 'subscriptions/listen') return await this.#listen(link, exchange, headers)
      return await this.#calls.run(exchange, headers, link.handle)
    } finally {
      instance.done(link)
    }
  }

  async #listen(
    link: Link,
    exchange: Exchange,
    headers: Record<string, string> | undefined,
  ): Promise<Outcome> {
    const timed = new TargetExchange(exchange, headers, NO_LIMITS)
    const forget = this.#current.listens(() => timed.abort(new McpError('closed', 'The target was changed')))
    try {
      return await link.handle(timed)
    } finally {
      forget()
      timed.release()
    }
  }

  /** Writes what is asked of the target, and what comes back, to a file until `stopRecording`. */
  async record(file: string): Promise<Recorder> {
    await this.stopRecording()
    const { discovery } = await this.main.acquire()
    const recorder = new Recorder(file, this.name, { ...discovery }, this.#services.toJson)
    this.#calls.recorder = recorder
    await recorder.opened.catch((error) => {
      this.#calls.recorder = undefined
      throw error
    })
    return recorder
  }

  /** What is being recorded, if anything is. */
  get recorder(): Recorder | undefined {
    return this.#calls.recorder
  }

  async stopRecording(): Promise<void> {
    const { recorder } = this.#calls
    this.#calls.recorder = undefined
    await recorder?.close()
  }

  /** Logs in at the target's authorization server, then connects. Only targets with `oauth` have a login. */
  async signIn(options: SignInOptions): Promise<void> {
    const auth = await this.#current.opener.auth(this.model)
    if (!auth) throw new McpError('unsupported', `Target "${this.name}" has no "oauth" in the configuration`)
    await auth.signIn(options)
    await this.start()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#succession.close()
    await this.stopRecording()
  }

  /** Stops every connection and makes the main one anew. */
  async restart(): Promise<void> {
    const { pool } = this.#current
    if (pool.size > 0) this.restarts++
    await pool.clear()
    this.#suspended = false
    await this.main.acquire()
  }

  /** Stops every connection and makes no new one until it is started by hand. */
  async suspend(): Promise<void> {
    this.#suspended = true
    await this.#current.pool.clear()
    this.#events.changed(this)
  }

  /** Connects now, whatever happened before. */
  async start(): Promise<void> {
    this.#suspended = false
    this.main.reset()
    await this.main.acquire()
  }

  /** Ends a request that is under way here; its caller gets an error. False when there is none. */
  cancel(record: ExchangeRecord, reason: string): boolean {
    return this.#calls.cancel(record, reason)
  }
}
