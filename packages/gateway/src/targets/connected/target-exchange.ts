import { McpError } from '@gantry/mcp/client'
import {
  cancellationOf,
  type OpenMember,
  PlainExchange,
  type Cancellation,
  type Exchange,
  type InputRequests,
  type InputResponses,
  lengthOf,
  type Notification,
  type Outcome,
  LATEST_MODERN,
  ownerOf,
  type ExchangeInit,
  type Owner,
  type Sending,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { TargetModel } from '../../model/index.ts'
import type { Passed, SeenMessage } from '../../telemetry/exchange-record.ts'
import { noteUpstream, recordOf } from '../../telemetry/exchange-log.ts'

/** Time limits in ms. */
export interface Limits {
  /** How long nothing may be heard. */
  readonly idle: number
  /** How long the request may take in all. */
  readonly request: number
}

const NEVER = Number.POSITIVE_INFINITY

/** For requests that end when their caller does. */
export const NO_LIMITS: Limits = { idle: NEVER, request: NEVER }

/** The caller's exchange with an end and time limits of its own, in one object since every call has it. */
export class TargetExchange extends PlainExchange implements OpenMember, Passed {
  place = -1
  readonly origin: Exchange
  readonly asTask: Exchange['asTask']
  readonly sending: Exchange['sending']
  readonly #limits: Limits
  readonly #endAt: number
  #idleAt: number
  #paused = 0
  #pausedAt = 0
  #began = performance.now()
  #took = 0
  #outcome: Outcome | undefined
  readonly #cancellation: Cancellation

  /** Whether it may be sent twice. */
  readonly safe: boolean

  /** `headers` are the headers that the target gets. */
  constructor(
    caller: Exchange,
    headers: Record<string, string> | undefined,
    limits: Limits,
    safe: boolean = false,
    sending: Sending | undefined = caller.sending,
  ) {
    super({
      method: caller.method,
      params: caller.params,
      client: caller.client,
      auth: caller.auth,
      logLevel: caller.logLevel,
      serverContext: caller.serverContext,
      headers,
      detach: caller.detach,
      ask: caller.ask && ((requests, signal) => this.#askCaller(requests, signal)),
    })
    const now = Date.now()
    this.origin = caller
    this.safe = safe
    this.asTask = caller.asTask
    this.sending = sending
    this.#limits = limits
    this.#endAt = now + limits.request
    this.#idleAt = now + limits.idle
    this.#cancellation = cancellationOf(caller)
    if (this.#cancellation.aborted) this.#onAbort()
    else this.#cancellation.onAbort(this.#onAbort)
  }

  /** Read late: ids of sessions are made on the first read. */
  override get session(): string | undefined {
    return this.origin.session
  }

  override notify(notification: Notification): void {
    if (!this.open) return
    this.#touch()
    this.origin.notify(notification)
  }

  /** A request that is late is cancelled. */
  check(now: number): void {
    if (this.aborted) return
    const { idle, request } = this.#limits
    if (now >= this.#endAt) this.#expire('there was no result', request)
    else if (now >= this.#idleAt) this.#expire('nothing was heard', idle)
  }

  /** The request is over. */
  release(outcome: Outcome | undefined): void {
    this.#cancellation.offAbort(this.#onAbort)
    const record = recordOf(this)
    if (!record) return
    this.#outcome = outcome
    this.#took = performance.now() - this.#began
    record.targetMs = (record.targetMs ?? 0) + this.#took
    noteUpstream(record, this)
    const bytes = outcome?.type === 'complete' ? lengthOf(outcome) : undefined
    if (bytes !== undefined) record.bytes = (record.bytes ?? 0) + bytes
  }

  /** The two messages, with times of the calendar. */
  seen(): SeenMessage[] {
    const { method, params } = this
    const at = Math.round(Date.now() - (performance.now() - this.#began))
    const asked: SeenMessage = { hop: 'target', direction: 'out', message: { method, params }, at }
    if (!this.#outcome) return [asked]
    return [
      asked,
      { hop: 'target', direction: 'in', message: this.#outcome, at: Math.round(at + this.#took) },
    ]
  }

  readonly #onAbort = (): void => this.abort(this.#cancellation.reason)

  #expire(what: string, milliseconds: number): void {
    const message = `${what} for ${milliseconds} ms, so the request was cancelled`
    this.abort(new McpError('timeout', message, { details: { timeout: milliseconds } }))
  }

  #touch(): void {
    this.#idleAt = this.#paused > 0 ? NEVER : Date.now() + this.#limits.idle
  }

  #askCaller(requests: InputRequests, signal: AbortSignal | undefined): Promise<InputResponses> {
    return this.whilePaused(() => this.origin.ask!(requests, signal))
  }

  /** While a person is asked, the target may be silent. */
  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    if (this.#paused++ === 0) this.#pausedAt = performance.now()
    this.#touch()
    try {
      return await work()
    } finally {
      if (--this.#paused === 0) this.#began += performance.now() - this.#pausedAt
      this.#touch()
    }
  }
}

/** A request of the gateway itself: it carries nothing of any caller. */
export class OwnExchange extends PlainExchange {
  constructor(
    info: Implementation,
    init: Omit<ExchangeInit, 'client'> & Partial<Pick<ExchangeInit, 'client'>>,
  ) {
    super({ client: { info, capabilities: {}, version: LATEST_MODERN }, ...init })
  }
}

/** The caller that may see what a target says because of this request. Undefined for requests of the gateway itself. */
export function callerOf(exchange: Exchange): Owner | undefined {
  const caller = exchange instanceof TargetExchange ? exchange.origin : exchange
  return caller instanceof OwnExchange ? undefined : ownerOf(exchange)
}

type Headers = Readonly<Record<string, string | undefined>>

/** Never passed on, whatever is configured: they belong to one hop (RFC 9110, section 7.6.1) or to the protocol. */
const OWN =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-.*|accept|mcp-.*)$/

/** The headers that a target gets with a request: those of the client's that are listed, and mirrored arguments. */
export function targetHeaders(
  model: TargetModel,
  { headers }: Pick<Exchange, 'headers'>,
  mirrored?: Record<string, string>,
): Record<string, string> | undefined {
  const forwarded =
    model.forwardHeaders.length > 0 && headers ? pick(headers, model.forwardHeaders) : undefined
  return forwarded && mirrored ? { ...forwarded, ...mirrored } : (forwarded ?? mirrored)
}

function pick(headers: Headers, names: readonly string[]): Record<string, string> | undefined {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (value !== undefined && !OWN.test(name)) picked[name] = value
  }
  return Object.keys(picked).length > 0 ? picked : undefined
}

/** The headers of an exchange to a target are those for the target alone. */
export function headersOf({ headers }: Exchange): Record<string, string> | undefined {
  return headers as Record<string, string> | undefined
}
