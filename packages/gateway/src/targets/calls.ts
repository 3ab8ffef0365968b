import { McpError } from '@gantry/mcp/client'
import {
  callerKey,
  cancellationOf,
  OpenSet,
  orAbort,
  ProtocolError,
  type Exchange,
  type Outcome,
  type ParkedCall,
} from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import type { ExchangeRecord } from '../telemetry/exchange-record.ts'
import type { AskSpan, RequestTrace } from '../telemetry/tracer.ts'
import { recordOf } from '../telemetry/exchange-log.ts'
import type { Instance } from './connection/instance.ts'
import { isSharedKey } from './connection/pool.ts'
import type { TargetConnection } from './connected/target-connection.ts'
import type { Caller } from './personal.ts'
import type { Recorder } from './recording/recorder.ts'
import { isAuthFailure, isConnectionLoss, isUndone, TargetError } from './target-error.ts'
import { NO_LIMITS, TargetExchange, targetHeaders } from './connected/target-exchange.ts'

type Headers = Record<string, string> | undefined

/** How a request is sent: its headers, and whether it may be sent twice. */
interface Sent {
  readonly headers: Headers
  readonly safe: boolean
}

const ONCE: Sent = { headers: undefined, safe: false }

export interface SendOptions {
  /** Whether the request may be repeated when its connection is lost. */
  readonly safe: boolean
  /** Arguments that the target wants mirrored into headers. */
  readonly mirrored?: Record<string, string> | undefined
  /** The era to use when the server has both: true for the older era, false for the newer era. */
  readonly older?: boolean | undefined
  /** Whether it is a request of the gateway itself. */
  readonly own?: boolean | undefined
}

export interface CallsHost {
  /** The target's settings, which may change. */
  model(): TargetModel
  readonly deadlines: Deadlines
  /** `end` is called when listening has to begin anew elsewhere; the function returned takes that back. */
  listens(end: () => void): () => void
}

/** Sends the requests to one target. Each request takes a slot of its connection and has time limits. */
export class Calls implements Expiring {
  /** The recording that is under way, if any. */
  recorder: Recorder | undefined
  readonly #host: CallsHost
  readonly #timed = new OpenSet<TargetExchange>()

  constructor(host: CallsHost) {
    this.#host = host
  }

  /** Sends a request on a connection. Repeats a lost one when that is safe. */
  async send(instance: Instance, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    const release = instance.lease()
    // A subscription lasts as long as its client wants, so it takes no slot.
    const needsSlot = exchange.method !== 'subscriptions/listen'
    let holdsSlot = false
    const isCall = options.own !== true
    if (isCall) instance.calls++
    if (!needsSlot) instance.listeners++
    try {
      if (needsSlot) {
        const waiting = this.#takeSlot(instance, exchange)
        if (waiting) await traced(exchange, 'queue', waiting)
        holdsSlot = true
      }
      const outcome = await this.#try(instance, exchange, options)
      // A server that lists its tools may still fail when it is called.
      if (isCall && instance.failures > 0) instance.proved()
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
    const { name } = this.#host.model()
    const slot = instance.slots.take(() => callerKey(exchange), cancellationOf(exchange))
    if (slot === undefined) {
      throw new TargetError(name, 'busy', `Target "${name}" has too many requests of this caller waiting`)
    }
    return slot === true ? undefined : slot
  }

  async #try(instance: Instance, exchange: Exchange, options: SendOptions): Promise<Outcome> {
    const headers = targetHeaders(this.#host.model(), exchange, options.mirrored)
    const found = this.acquire(instance, exchange, headers)
    const connection = found instanceof Promise ? await traced(exchange, 'connect', found) : found
    try {
      return await this.#ask(instance, connection, exchange, { headers, safe: options.safe })
    } catch (thrown) {
      if (cancellationOf(exchange).aborted) throw thrown
      if (isAuthFailure(thrown)) this.#refused(instance, connection, thrown as McpError)
      const { safe } = options
      if (!isConnectionLoss(thrown)) throw this.#explain(thrown, safe)
      instance.discard(connection, thrown as Error)
      // Asking again is safe as well when the server cannot have done anything.
      const wasSeen = !isUndone(thrown)
      if (!safe && wasSeen) throw this.#explain(thrown, safe)
      try {
        const fresh = await this.acquire(instance, exchange, headers)
        return await this.#ask(instance, fresh, exchange, { headers, safe })
      } catch (second) {
        throw this.#explain(second, safe, wasSeen)
      }
    }
  }

  /** The connection. It is made when there is none. */
  acquire(
    instance: Instance,
    exchange: Exchange,
    headers: Headers = targetHeaders(this.#host.model(), exchange),
  ): TargetConnection | Promise<TargetConnection> {
    const connection = instance.acquire(
      isSharedKey(instance.key) ? undefined : { headers, caller: callerOf(exchange) },
    )
    return connection instanceof Promise ? orAbort(connection, exchange.signal) : connection
  }

  /** A refusal of the caller's own credentials says nothing about the connection. */
  #refused(instance: Instance, connection: TargetConnection, thrown: McpError): void {
    const own = this.#host.model().forwardHeaders.includes('authorization')
    if (!own && thrown.code !== 'forbidden') instance.refuse(connection, thrown)
  }

  /** `wasSeen`: the target may have seen the call before this attempt. */
  #explain(thrown: unknown, isRepeatable: boolean, wasSeen: boolean = false): unknown {
    if (thrown instanceof ProtocolError) return thrown
    const mayHaveHappened = wasSeen || !isUndone(thrown)
    return TargetError.from(this.#host.model().name, thrown, { mayHaveHappened, isRepeatable })
  }

  async #ask(
    instance: Instance,
    connection: TargetConnection,
    exchange: Exchange,
    how: Sent,
  ): Promise<Outcome> {
    instance.use(connection)
    try {
      if (exchange.method === 'subscriptions/listen')
        return await this.listen(connection, exchange, how.headers)
      const model = this.#host.model()
      // The gateway did not start this server, so it cannot know whether the server goes on with another connection.
      const record = model.kind === 'stdio' ? recordOf(exchange) : undefined
      if (record && exchange.ask) record.isAskerThere = () => instance.connection === connection
      const span = traceOf(exchange)?.ask(exchange, connection, model)
      const outcome = await this.#run(exchange, how, connection.handle, span)
      if (record && outcome.type === 'input_required')
        record.isAskerThere = () => instance.connection === connection
      return outcome
    } finally {
      instance.done(connection)
    }
  }

  /** Listens on a connection that there is, for as long as the caller wants. */
  async listen(
    connection: TargetConnection,
    exchange: Exchange,
    headers: Headers = targetHeaders(this.#host.model(), exchange),
  ): Promise<Outcome> {
    const timed = new TargetExchange(exchange, headers, NO_LIMITS)
    const forget = this.#host.listens(() => timed.abort(new McpError('closed', 'The target was changed')))
    try {
      return await connection.handle(timed)
    } finally {
      forget()
      timed.release(undefined)
    }
  }

  /** Gives a parked call its answers; the upstream request is still open. */
  async resume(call: Pick<ParkedCall, 'resume'>, exchange: Exchange): Promise<Outcome> {
    try {
      return await this.#run(exchange, ONCE, (timed) => call.resume(timed))
    } catch (thrown) {
      throw cancellationOf(exchange).aborted ? thrown : this.#explain(thrown, false, true)
    }
  }

  /** Limits both the time without a sign of life and the whole time. */
  async #run(
    exchange: Exchange,
    { headers, safe }: Sent,
    run: (timed: Exchange) => Outcome | Promise<Outcome>,
    span?: AskSpan,
  ): Promise<Outcome> {
    const { deadlines } = this.#host
    const timed = new TargetExchange(exchange, headers, this.#host.model().timeouts, safe, span)
    if (this.#timed.size === 0) deadlines.watch(this)
    this.#timed.add(timed)
    let outcome: Outcome | undefined
    try {
      const { recorder } = this
      outcome = await (recorder ? recorder.handle(timed, async (own) => run(own)) : run(timed))
      span?.end(outcome)
      return outcome
    } catch (thrown) {
      span?.fail(thrown)
      throw thrown
    } finally {
      timed.release(outcome)
      this.#timed.delete(timed)
    }
  }

  /** Writes down what is asked and answered from now on. */
  async record(recorder: Recorder): Promise<Recorder> {
    await this.stopRecording()
    this.recorder = recorder
    await recorder.opened.catch((error) => {
      this.recorder = undefined
      throw error
    })
    return recorder
  }

  async stopRecording(): Promise<void> {
    const { recorder } = this
    this.recorder = undefined
    await recorder?.close()
  }

  check(now: number): boolean {
    for (const timed of this.#timed.all()) timed.check(now)
    return this.#timed.size > 0
  }

  /** Ends what is under way for a request; its caller gets an error. False when there is nothing. */
  cancel(record: ExchangeRecord, reason: string): boolean {
    const own = [...this.#timed.all()].filter((timed) => recordOf(timed) === record)
    for (const timed of own) timed.abort(new McpError('cancelled', reason))
    return own.length > 0
  }
}

function callerOf({ auth, headers }: Exchange): Caller | undefined {
  return auth && { principal: auth.principal, headers }
}

/** A traced exchange, or an exchange that was derived from it. */
interface Traced extends Exchange {
  readonly trace?: RequestTrace | undefined
}

/** The trace of the request that an exchange belongs to, however often it was derived. */
function traceOf(exchange: Exchange): RequestTrace | undefined {
  for (let at: Traced | undefined = exchange; at; at = at.origin) if (at.trace) return at.trace
  return undefined
}

/** Waits for a part of a request, with a span for the time that it takes. */
async function traced<T>(exchange: Exchange, name: string, work: Promise<T>): Promise<T> {
  const trace = traceOf(exchange)
  if (!trace) return work
  const began = performance.now()
  try {
    return await work
  } finally {
    trace.step(name, began)
  }
}

const TICK = 250

/** Requests that must not go on for ever. */
export interface Expiring {
  /** Ends requests whose time is over. Returns false when no request is under way. */
  check(now: number): boolean
}

/** One timer for all calls in flight: a timer for each would cost more than relaying it. */
export class Deadlines {
  readonly #watched = new Set<Expiring>()
  #timer: NodeJS.Timeout | undefined

  /** Watches the time limits until no request is under way. */
  watch(requests: Expiring): void {
    this.#watched.add(requests)
    if (this.#timer) return
    this.#timer = setInterval(() => this.#tick(), TICK)
    this.#timer.unref()
  }

  #tick(): void {
    const now = Date.now()
    for (const requests of this.#watched) {
      if (!requests.check(now)) this.#watched.delete(requests)
    }
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
