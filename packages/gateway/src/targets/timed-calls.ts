import { McpError } from '@gantry/mcp/client'
import { type Exchange, LiveSet, type Outcome } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import type { WireView } from '../telemetry/wire-view.ts'
import type { Deadlines } from './deadlines.ts'
import type { Recorder } from './recording/recorder.ts'
import { TimedExchange } from './timed-exchange.ts'

/** The requests of one target that are under way and must come to an end. */
export class TimedCalls {
  /** Writes down what is asked and answered. */
  recorder: Recorder | undefined
  readonly #timeouts: () => TargetModel['timeouts']
  readonly #services: { readonly view: WireView; readonly deadlines: Deadlines }
  readonly #timed = new LiveSet<TimedExchange>()

  constructor(
    timeouts: () => TargetModel['timeouts'],
    services: { readonly view: WireView; readonly deadlines: Deadlines },
  ) {
    this.#timeouts = timeouts
    this.#services = services
  }

  /** Time without a sign of life, and time in all, are both limited. */
  async run(
    exchange: Exchange,
    headers: Record<string, string> | undefined,
    run: (timed: Exchange) => Outcome | Promise<Outcome>,
  ): Promise<Outcome> {
    const { view, deadlines } = this.#services
    const timeouts = this.#timeouts()
    const timed = new TimedExchange(exchange, headers)
    const record = view.watched ? view.recordOf(exchange) : undefined
    if (record) view.alias(timed.exchange, record)
    const deadline = deadlines.add({ idle: timeouts.idle, total: timeouts.request }, (why) => {
      const limit = why === 'idle' ? timeouts.idle : timeouts.request
      const words = why === 'idle' ? 'nothing was heard' : 'there was no result'
      timed.abort(new McpError('timeout', `${words} for ${limit} ms, so the request was cancelled`))
    })
    timed.deadline = deadline
    this.#timed.add(timed)
    try {
      const { recorder } = this
      return await (recorder ? recorder.handle(timed.exchange, async (own) => run(own)) : run(timed.exchange))
    } finally {
      deadline.clear()
      timed.release()
      this.#timed.delete(timed)
    }
  }

  /** Ends a request; its caller gets an error. False when there is none. */
  cancel(exchange: object, reason: string): boolean {
    for (const timed of this.#timed.all()) {
      if (timed.caller !== exchange) continue
      timed.abort(new McpError('cancelled', reason))
      return true
    }
    return false
  }
}
