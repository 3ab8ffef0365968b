import { orAbort, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import { askingItemOf, Items } from './isolation.ts'
import { callerKey } from './pool.ts'

/** How long others wait for the first call of a tool to end or to ask, in ms. Tools that ask mostly do so at once. */
const PATIENCE = 2_000

/** The first call of a tool: until it has ended or asked, for a short time. */
class Turn {
  readonly caller: Exchange
  /** Whether the call may be made twice. */
  readonly isSafe: boolean
  /** Resolves when its connection is open. */
  readonly begun: Promise<unknown>
  readonly over: Promise<void>
  end: () => void = () => {}
  #timer: NodeJS.Timeout | undefined

  constructor(caller: Exchange, isSafe: boolean, connected: Promise<unknown>, expired: () => void) {
    this.caller = caller
    this.isSafe = isSafe
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
  /** Whether a question that this call causes could also belong to the call of another caller. */
  isAmbiguous(): boolean
  /** Makes the connection that the call will use. */
  connect(): Promise<unknown>
  send(): Promise<Outcome>
}

/**
 * The first calls of tools on a shared connection, while it is unknown what the server asks. Two questions at the same
 * time could not be told apart when they name no call, so a tool that was never called before is called by only one
 * caller at a time. If the tool asks, the other callers get their own connections; if it ends without a question, they
 * share this one. Calls that may be made twice do not wait for each other: a call is made again when its question had
 * to be refused.
 */
export class FirstCalls {
  /** First calls under way. */
  readonly turns: Set<Turn> = new Set()
  readonly #known = new Items()
  readonly #refused = new WeakSet<Exchange>()

  async run(exchange: Exchange, safe: boolean, host: FirstCallHost): Promise<Outcome> {
    const item = askingItemOf(exchange)
    const send = (): Promise<Outcome> => (safe ? this.#sendTwice(exchange, host) : host.send())
    if (item === undefined) return send()
    const inTheWay = (): Turn[] => (this.#isKnown(item) ? [] : this.#inTheWay(exchange, safe))
    let until: number | undefined
    // Two rounds at most, and each is short. There must be no `await` between the last look and the turn of this call.
    for (let turns = inTheWay(); turns.length > 0; turns = inTheWay()) {
      await orAbort(Promise.all(turns.map(({ begun }) => begun)), exchange.signal)
      until ??= performance.now() + PATIENCE
      if (!host.isAmbiguous() || performance.now() >= until) return send()
      await orAbort(Promise.all(turns.map(({ over }) => over)), exchange.signal)
    }
    if (this.#isKnown(item) || !host.isAmbiguous()) return send()
    const turn = new Turn(exchange, safe, host.connect(), () => this.#end(turn, item))
    this.turns.add(turn)
    try {
      return await send()
    } finally {
      this.#end(turn, item)
    }
  }

  /**
   * The server has asked a question: where the next calls go is known. Those whose questions were refused are noted.
   */
  asked(exchanges: readonly Exchange[], isRefused: boolean): void {
    for (const turn of this.turns) this.#end(turn)
    if (!isRefused) return
    for (const exchange of exchanges) {
      for (let at: Exchange | undefined = exchange; at; at = at.origin) this.#refused.add(at)
    }
  }

  /** Whether its item has ended once, or has asked. */
  readonly knows = (exchange: Exchange): boolean => this.#isKnown(askingItemOf(exchange) ?? '')

  #isKnown(item: string): boolean {
    return this.#known.isFull || this.#known.has(item)
  }

  /** First calls of other callers that a question of this call could be attributed to by mistake. */
  #inTheWay(exchange: Exchange, safe: boolean): Turn[] {
    return [...this.turns].filter(
      ({ caller, isSafe }) => !(safe && isSafe) && !isSameCaller(caller, exchange),
    )
  }

  #end(turn: Turn, item?: string): void {
    if (item !== undefined) this.#known.add(item)
    this.turns.delete(turn)
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
