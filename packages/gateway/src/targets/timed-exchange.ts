import {
  cancellationOf,
  type Live,
  LiveExchange,
  type Cancellation,
  type Exchange,
  type InputRequests,
  type InputResponses,
} from '@gantry/mcp/exchange'
import type { Deadline } from './deadlines.ts'

/** The caller's exchange with an end of its own. */
export class TimedExchange implements Live {
  place = -1
  readonly exchange: LiveExchange
  deadline: Deadline | undefined
  readonly caller: Exchange
  readonly #cancellation: Cancellation

  /** `headers` are those that the target gets. */
  constructor(caller: Exchange, headers: Record<string, string> | undefined) {
    this.caller = caller
    this.exchange = new LiveExchange({
      method: caller.method,
      params: caller.params,
      client: caller.client,
      auth: caller.auth,
      logLevel: caller.logLevel,
      serverContext: caller.serverContext,
      headers,
      session: caller.session,
      detach: caller.detach,
      ask: caller.ask && ((requests, signal) => this.#ask(requests, signal)),
      notify: (notification) => {
        this.deadline?.touch()
        caller.notify(notification)
      },
    })
    this.#cancellation = cancellationOf(caller)
    if (this.#cancellation.aborted) this.#onAbort()
    else this.#cancellation.onAbort(this.#onAbort)
  }

  readonly #onAbort = (): void => this.exchange.abort(this.#cancellation.reason)

  /** People take their time: while one is asked, nothing is expected of the target. */
  async #ask(requests: InputRequests, signal: AbortSignal | undefined): Promise<InputResponses> {
    this.deadline?.pause()
    try {
      return await this.caller.ask!(requests, signal)
    } finally {
      this.deadline?.touch()
    }
  }

  abort(reason: unknown): void {
    this.exchange.abort(reason)
  }

  release(): void {
    this.#cancellation.offAbort(this.#onAbort)
  }
}
