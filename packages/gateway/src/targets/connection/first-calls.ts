import { orAbort, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import { itemOf, Items } from './isolation.ts'
import { callerKey } from './pool.ts'

/** How long others wait for the first call of a tool to end or to ask, in ms. Tools that ask mostly do so at once. */
const PATIENCE = 2_000

/** The first call of a tool: until it has ended or asked, for a short time. */
class Turn {
  readonly caller: Exchange
  /** When its connection is there. */
  readonly begun: Promise<unknown>
  readonly over: Promise<void>
  end: () => void = () => {}
  #timer: NodeJS.Timeout | undefined

  constructor(caller: Exchange, connected: Promise<unknown>, expired: () => void) {
    this.caller = caller
    let isOver = false
    this.over = new Promise((resolve) => {
      this.end = () => {
        isOver = true
        clearTimeout(this.#timer)
        resolve()
      }
    })
    this.begun = connected
      .catch(() => {})
      .then(() => {
        if (!isOver) this.#timer = setTimeout(expired, PATIENCE).unref()
      })
  }
}

export interface FirstCallHost {
  /** Whether a question for the call could be one for another caller's. */
  isAmbiguous(): boolean
  /** Makes the connection that the call will use. */
  connect(): Promise<unknown>
  send(): Promise<Outcome>
}

/**
 * Calls on a connection that several callers share, while nothing is known of what the server asks. Two questions at a
 * time that name no call could not be told apart, so a tool that was never called is called by one caller at a time. As
 * soon as it has asked, others have connections of their own; when it has ended without a question, they share this one.
 * A call that may be made twice waits for nothing: it is made again when its question had to be refused.
 */
export class FirstCalls {
  readonly #known = new Items()
  readonly #refused = new WeakSet<Exchange>()
  #turn: Turn | undefined

  async run(exchange: Exchange, safe: boolean, host: FirstCallHost): Promise<Outcome> {
    if (safe) return this.#sendTwice(exchange, host)
    const item = itemOf(exchange)
    if (item === undefined || this.#isKnown(item)) return host.send()
    await this.#wait(exchange, item, host)
    if (this.#turn || this.#isKnown(item) || !host.isAmbiguous()) return host.send()
    const turn = new Turn(exchange, host.connect(), () => this.#end(turn, item))
    this.#turn = turn
    try {
      return await host.send()
    } finally {
      this.#end(turn, item)
    }
  }

  /** The server has asked a question: where the next calls go is known. Those whose questions were refused are noted. */
  asked(exchanges: readonly Exchange[], isRefused: boolean): void {
    if (this.#turn) this.#end(this.#turn, undefined)
    if (!isRefused) return
    for (const exchange of exchanges) {
      for (let at: Exchange | undefined = exchange; at; at = at.origin) this.#refused.add(at)
    }
  }

  /** Whether its item has ended once, or has asked. */
  readonly knows = (exchange: Exchange): boolean => this.#isKnown(itemOf(exchange) ?? '')

  #isKnown(item: string): boolean {
    return this.#known.isFull || this.#known.has(item)
  }

  /** Two turns at most, and each is short. */
  async #wait(exchange: Exchange, item: string, { isAmbiguous }: FirstCallHost): Promise<void> {
    let until: number | undefined
    while (this.#turn && !this.#isKnown(item) && !isSameCaller(this.#turn.caller, exchange)) {
      const turn = this.#turn
      await orAbort(turn.begun, exchange.signal)
      until ??= performance.now() + PATIENCE
      if (!isAmbiguous() || performance.now() >= until) return
      await orAbort(turn.over, exchange.signal)
    }
  }

  #end(turn: Turn, item: string | undefined): void {
    if (item !== undefined) this.#known.add(item)
    if (this.#turn === turn) this.#turn = undefined
    turn.end()
  }

  async #sendTwice(exchange: Exchange, { send }: FirstCallHost): Promise<Outcome> {
    const outcome = await send()
    const isOver = outcome.type === 'complete' || outcome.type === 'error'
    return this.#refused.delete(exchange) && isOver ? send() : outcome
  }
}

function isSameCaller(one: Exchange, other: Exchange): boolean {
  const key = callerKey(one)
  return key !== undefined && key === callerKey(other)
}
