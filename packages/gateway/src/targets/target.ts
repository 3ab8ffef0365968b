import {
  complete,
  type Exchange,
  type Notification,
  type Outcome,
  type ParkedCall,
} from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import { StderrRing } from '../telemetry/stderr-ring.ts'
import { Calls, type SendOptions } from './calls.ts'
import { askUntilGone } from './connection/ask-elsewhere.ts'
import { AskingServers } from './connection/asking-servers.ts'
import { Connections } from './connection/connections.ts'
import type { Instance } from './connection/instance.ts'
import { continuesCall, legacyKey } from './connection/pool.ts'
import { canAnswer, ConnectionChoice, type Connection } from './connection/isolation.ts'
import type { Elsewhere } from './connected/elsewhere.ts'
import type { TargetConnection } from './connected/target-connection.ts'
import { sendInEitherEra } from './connection/either-era.ts'
import { FirstCalls } from './connection/first-calls.ts'
import type { EraHost, OlderEra } from './connection/older-era.ts'
import { Recorder } from './recording/recorder.ts'
import { ProcessMarks } from './process-marks.ts'
import { isAnnouncement, type Subscriber } from './listening/shared-listener.ts'
import { OperatedTarget, type TargetServices } from './operated-target.ts'
import { TargetError } from './target-error.ts'
import { TargetListeners } from './listening/target-listeners.ts'

export interface TargetEvents {
  /** The state, the steps or the reason of a connection changed. */
  changed(target: Target): void
  /** A connection is open. */
  ready(target: Target, instance: Instance, connection: TargetConnection): void
  stderr(target: Target, line: string): void
}

/** A server behind the gateway: chooses a connection for each caller, and sends the requests. */
export class Target extends OperatedTarget {
  readonly stderr: StderrRing
  /** The requests to it. */
  readonly calls: Calls
  /** Which processes have the tasks of callers. */
  readonly processes: ProcessMarks = new ProcessMarks({
    connectionsOf: (exchange) => this.#connectionsOf(exchange),
    gateway: () => this.gateway,
    askAt: (gateway, exchange) => this.askAt(gateway, exchange),
  })
  readonly #events: TargetEvents
  readonly #listeners: TargetListeners
  readonly #choice: ConnectionChoice
  readonly #firstCalls = new FirstCalls()
  /** Until it is known whether an earlier run has seen the server ask. */
  #recalling: Promise<void> | undefined

  constructor(model: TargetModel, services: TargetServices, events: TargetEvents) {
    super(model, services)
    this.stderr = new StderrRing(services.hide)
    this.#events = events
    const asking = new AskingServers(services.store)
    this.#choice = new ConnectionChoice({
      foundAsking: () => asking.add(this.model),
      model: () => this.model,
      current: () => this.#current,
      isKnown: this.#firstCalls.knows,
      learned: (message) => {
        services.log('info', message, { target: this.name })
        events.changed(this)
      },
    })
    if (model.isolation === 'auto') this.#recalling = this.#recall(asking)
    this.calls = new Calls({
      model: () => this.model,
      deadlines: services.deadlines,
      listens: (end) => this.#current.listens(end),
    })
    this.#listeners = new TargetListeners({
      info: services.info,
      pool: () => this.#current.pool,
      model: () => this.model,
      listen: (instance, exchange) => this.handleOwn(exchange, instance),
      listenIdly: (instance, exchange) => this.calls.listen(instance.connection!, exchange),
    })
  }

  async #recall(asking: AskingServers): Promise<void> {
    if (await asking.has(this.model)) this.#choice.recallAsking()
    this.#recalling = undefined
  }

  protected override changed(): void {
    this.#events.changed(this)
  }

  protected override connections(model: TargetModel, isChange: boolean): Connections {
    return new Connections(
      model,
      this.services,
      {
        changed: () => this.changed(),
        restarting: () => {
          this.restarts++
        },
        ready: (instance, connection) => {
          this.#events.ready(this, instance, connection)
          this.#listeners.connected(instance)
        },
        left: ({ version, transport }, lasted) =>
          this.services.tracer?.sessionEnded({ version, transport, lasted, target: this.model }),
        notification: (instance, notification) => {
          if (isAnnouncement(notification)) this.#listeners.announce(notification, instance.key)
        },
        sharedQuestion: (...question) => {
          this.#choice.asked(...question)
          const [, exchanges, isRefused] = question
          if (isRefused || this.#firstCalls.turns.size > 0) this.#firstCalls.asked(exchanges, isRefused)
        },
        stderr: (line) => {
          this.stderr.push(line)
          this.#events.stderr(this, line)
        },
      },
      isChange,
    )
  }

  get #current(): Connections {
    return this.succession.current
  }

  get name(): string {
    return this.model.name
  }

  /** Marks the server that an exchange goes to. */
  serverOf(exchange: Exchange): string {
    return this.#ownerOf(exchange).mark
  }

  /** The connections of a caller to a program, in both eras. */
  #connectionsOf(exchange: Exchange): (TargetConnection | undefined)[] {
    const { model, pool } = this.#ownerOf(exchange)
    if (model.kind !== 'stdio' || continuesCall(exchange)) return []
    const { key } = this.#choice.for(exchange, false)
    return [key, legacyKey(key)].map((one) => pool.find(one)?.connection)
  }

  /** The connections that a caller has for itself, without the connections of single calls. */
  ownConnections(caller: Pick<Exchange, 'session' | 'auth'>): TargetConnection[] {
    return this.#current.pool.ownConnections(caller)
  }

  /** The connections that an exchange goes to: a call in several rounds goes on where it began. */
  #ownerOf(exchange: Exchange): Connections {
    const { current, leaving } = this.succession
    return leaving.size === 0 ? current : this.succession.ownerOf(exchange)
  }

  /** Sends an exchange to its caller's connection. Repeats a lost request when that is `safe`. */
  async handle(exchange: Exchange, options: SendOptions): Promise<Outcome> {
    this.#check()
    if (this.#recalling) await this.#recalling
    const wantsOlder = this.#wantsOlder(exchange, options)
    if (!canAnswer(exchange) || !this.#choice.isAmbiguous(exchange, wantsOlder)) {
      return this.#send(exchange, options, wantsOlder)
    }
    return this.#firstCalls.run(exchange, options.safe, {
      isAmbiguous: () => this.#choice.isAmbiguous(exchange, this.#wantsOlder(exchange, options)),
      connect: () => this.#connect(exchange, this.#wantsOlder(exchange, options)),
      send: () => this.#send(exchange, options),
    })
  }

  #wantsOlder(exchange: Exchange, options: SendOptions): boolean {
    const { olderEra } = this.#current
    return options.older ?? (olderEra.mayBeThere && olderEra.wants(exchange, options.safe))
  }

  /** Makes the connection that a call will share with others. */
  async #connect(exchange: Exchange, wantsOlder: boolean): Promise<void> {
    const { olderEra, model, pool } = this.#current
    const connection = this.#choice.for(exchange, wantsOlder)
    if (connection.isOwn) return
    const acquire = this.#acquire
    if (wantsOlder) await olderEra.connectionFor(connection, exchange, { model, pool, acquire })
    else await acquire(pool.get(connection.key), exchange)
  }

  /**
   * Connects for a call that is not under way yet. The connection counts as used meanwhile, so no new configuration
   * closes it.
   */
  readonly #acquire: EraHost['acquire'] = (instance, exchange) => {
    const connection = this.calls.acquire(instance, exchange)
    return connection instanceof Promise ? connection.finally(instance.lease()) : connection
  }

  #send(
    exchange: Exchange,
    options: SendOptions,
    wantsOlder: boolean = this.#wantsOlder(exchange, options),
  ): Promise<Outcome> {
    const { olderEra } = this.#current
    const isSettled = !wantsOlder && (options.older !== undefined || !olderEra.hasNewer)
    if (isSettled) return this.#useAt(this.#choice.for(exchange, false), exchange, options)
    return sendInEitherEra(exchange, wantsOlder, options, {
      connections: this.#current,
      choice: this.#choice,
      acquire: this.#acquire,
      send: (connection) => this.#useAt(connection, exchange, options),
      sendAgain: () => this.handle(exchange, options),
    })
  }

  #useAt({ key, isOwn }: Connection, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    if (!isOwn) return this.calls.send(this.#current.pool.get(key), exchange, options)
    const { held } = this.#ownerOf(exchange)
    return held.run(exchange, (instance, own) => this.calls.send(instance, own, options), key)
  }

  /** The older era of its server. */
  get olderEra(): OlderEra {
    return this.#current.olderEra
  }

  /** The shared connection in the older era, if it is open. */
  get older(): Instance | undefined {
    const older = this.#current.pool.find(legacyKey(''))
    return older?.connection && older
  }

  /** Whether each caller has a connection of its own because the server asks questions. */
  get isolatesByItself(): boolean {
    return this.#choice.isLearned
  }

  /** Sends something of the gateway's own: it belongs to no connection of a caller. */
  async handleOwn(exchange: Exchange, instance: Instance = this.main): Promise<Outcome> {
    this.#check()
    return this.calls.send(instance, exchange, { safe: true, own: true })
  }

  /** Listens to the connection that the caller may use; without a caller, to the main connection. */
  listen(subscriber: Subscriber, caller?: Exchange): () => void {
    return this.#listeners.add(subscriber, caller)
  }

  /** Passes a notification outside of any subscription to all listeners. */
  announce(notification: Notification): void {
    this.#listeners.announce(notification, '')
  }

  /** The id of this gateway for the others; undefined when it is alone. */
  get gateway(): string | undefined {
    return this.services.owners?.id
  }

  /** Asks another gateway for what it has: a call of this target that waits there, or a task. Undefined: it is gone. */
  async askAt(id: string, exchange: Exchange, tasksOf?: string): Promise<Outcome | undefined> {
    const place = tasksOf === undefined ? { target: this.name } : { tasksOf }
    const find = async (): Promise<Elsewhere | undefined> => this.services.owners?.at(id, place)
    const elsewhere = await find()
    if (!elsewhere) return undefined
    let isGone = false
    const ask = async (own: Exchange): Promise<Outcome> => {
      // The result of a finished task is kept and can be asked for again. A caller that answers a question can begin
      // anew at once.
      const isTask = tasksOf !== undefined
      const outcome = await askUntilGone(elsewhere, own, this.services, isTask ? find : undefined)
      isGone = outcome === undefined
      return outcome ?? complete({})
    }
    const outcome = await (exchange.method === 'subscriptions/listen'
      ? ask(exchange)
      : this.calls.resume({ resume: ask }, exchange))
    return isGone ? undefined : outcome
  }

  /** Gives a parked call its answers; the upstream request is still open. */
  async resume(call: ParkedCall, exchange: Exchange): Promise<Outcome> {
    this.#check()
    return this.calls.resume(call, exchange)
  }

  /** The reason why it takes no calls: the configuration or the operator stopped it. */
  get off(): TargetError | undefined {
    const { name } = this
    if (this.stopping.signal.aborted || !this.model.enabled) {
      const off = this.stopping.signal.aborted ? 'it was removed' : 'it is switched off in the configuration'
      const why = this.model.disabledReason ?? off
      return new TargetError(name, 'disabled', `Target "${name}" is off: ${why}`)
    }
    if (!this.suspended) return undefined
    return new TargetError(name, 'stopped', `Target "${name}" was stopped by hand; start it again`)
  }

  #check(): void {
    const { off } = this
    if (off) throw off
  }

  /** Makes the connection of a caller, where each has its own, and returns its name. */
  async connectFor(exchange: Exchange): Promise<string> {
    this.#check()
    const { key } = this.#choice.for(exchange, false)
    await this.calls.acquire(this.#current.pool.get(key), exchange)
    return key
  }

  /** Writes the requests and answers of the target to a file until `calls.stopRecording`. */
  async record(file: string): Promise<Recorder> {
    const { discovery } = await this.main.acquire()
    return this.calls.record(new Recorder(file, this.name, { ...discovery }, this.services.toJson))
  }

  override async stop(): Promise<void> {
    await super.stop()
    await this.calls.stopRecording()
  }
}
