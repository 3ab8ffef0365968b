import { McpError } from '@gantry/mcp/client'
import {
  cancellationOf,
  type OpenMember,
  PlainExchange,
  type Cancellation,
  type Exchange,
  type InputRequests,
  type InputResponses,
  type Notification,
} from '@gantry/mcp/exchange'

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
export class TargetExchange extends PlainExchange implements OpenMember {
  place = -1
  readonly origin: Exchange
  readonly #limits: Limits
  readonly #endAt: number
  #idleAt: number
  #paused = 0
  readonly #cancellation: Cancellation

  /** `headers` are those that the target gets. */
  constructor(caller: Exchange, headers: Record<string, string> | undefined, limits: Limits) {
    super({
      method: caller.method,
      params: caller.params,
      client: caller.client,
      auth: caller.auth,
      logLevel: caller.logLevel,
      serverContext: caller.serverContext,
      headers,
      detach: caller.detach,
    })
    if (caller.ask) this.ask = (requests, signal) => this.#askCaller(requests, signal)
    const now = Date.now()
    this.origin = caller
    this.#limits = limits
    this.#endAt = now + limits.request
    this.#idleAt = now + limits.idle
    this.#cancellation = cancellationOf(caller)
    if (this.#cancellation.aborted) this.#onAbort()
    else this.#cancellation.onAbort(this.#onAbort)
  }

  /** Read when somebody wants it: ids of sessions are made then. */
  override get session(): string | undefined {
    return this.origin.session
  }

  override notify(notification: Notification): void {
    if (!this.open) return
    this.#touch()
    this.origin.notify(notification)
  }

  /** It is about time: what is over is cancelled. */
  check(now: number): void {
    if (this.aborted) return
    const { idle, request } = this.#limits
    if (now >= this.#endAt) this.#expire('there was no result', request)
    else if (now >= this.#idleAt) this.#expire('nothing was heard', idle)
  }

  /** The request is over. */
  release(): void {
    this.#cancellation.offAbort(this.#onAbort)
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

  /** People take their time: while one is asked, nothing is expected of the target. */
  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    this.#paused++
    this.#touch()
    try {
      return await work()
    } finally {
      this.#paused--
      this.#touch()
    }
  }
}
