import { McpError } from '@gantry/mcp/client'
import { type Exchange, OpenSet, type Outcome } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import { recordOf, type ExchangeRecord } from '../telemetry/wire-view.ts'
import type { Deadlines, Expiring } from './deadlines.ts'
import type { Recorder } from './recording/recorder.ts'
import { TargetExchange } from './target-exchange.ts'

/** The requests of one target that are under way and must come to an end. */
export class TimedCalls implements Expiring {
  /** Writes down what is asked and answered. */
  recorder: Recorder | undefined
  readonly #timeouts: () => TargetModel['timeouts']
  readonly #services: { readonly deadlines: Deadlines }
  readonly #timed = new OpenSet<TargetExchange>()

  constructor(timeouts: () => TargetModel['timeouts'], services: { readonly deadlines: Deadlines }) {
    this.#timeouts = timeouts
    this.#services = services
  }

  /** Time without a sign of life, and time in all, are both limited. */
  async run(
    exchange: Exchange,
    headers: Record<string, string> | undefined,
    run: (timed: Exchange) => Outcome | Promise<Outcome>,
  ): Promise<Outcome> {
    const { deadlines } = this.#services
    const timed = new TargetExchange(exchange, headers, this.#timeouts())
    if (this.#timed.size === 0) deadlines.watch(this)
    this.#timed.add(timed)
    try {
      const { recorder } = this
      return await (recorder ? recorder.handle(timed, async (own) => run(own)) : run(timed))
    } finally {
      timed.release()
      this.#timed.delete(timed)
    }
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
