import { cancellationOf, outlineOf, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import { callerKey } from './pool.ts'

/** Methods that a server may ask questions for, the list that each belongs to, and the member that names the item. */
const ASKING: Readonly<Record<string, readonly [list: string, member: 'name' | 'uri']>> = {
  'tools/call': ['tools', 'name'],
  'prompts/get': ['prompts', 'name'],
  'resources/read': ['resources', 'uri'],
}

/** What a call is about, as `tools NAME` or `resources URI`; undefined when a server cannot ask questions for it. */
export function itemOf({ method, params }: Exchange): string | undefined {
  const asking = Object.hasOwn(ASKING, method) ? ASKING[method] : undefined
  return asking && `${asking[0]} ${String(params[asking[1]])}`
}

/** The same for what is to be learned of calls: addresses of resources are without number, so one stands for all. */
function kindOf(exchange: Exchange): string | undefined {
  return exchange.method === 'resources/read' ? 'resources' : itemOf(exchange)
}

/** Items more than this are not remembered: each of their calls is treated like a first one. */
const MOST_REMEMBERED = 1000

/** Items of which something is known. Bounded, because callers choose URIs. */
export class Items {
  readonly #items = new Set<string>()

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  get isFull(): boolean {
    return this.#items.size >= MOST_REMEMBERED
  }

  has(item: string | undefined): boolean {
    return item !== undefined && this.#items.has(item)
  }

  /** True when that is news. */
  add(item: string): boolean {
    if (this.isFull || this.#items.has(item)) return false
    this.#items.add(item)
    return true
  }
}

/** Which connection a caller gets. One of its own is for this call alone. */
export interface Connection {
  readonly key: string
  readonly isOwn?: boolean
}

/** How long a call waits for the first call of another caller, in milliseconds. */
const LONGEST_WAIT = 10_000

export interface FirstCallHost {
  /** Whether questions on this connection may not say whose they are. */
  mayMix(connection: Connection, exchange: Exchange): boolean | Promise<boolean>
  /** Whether the server has asked something for the same item. */
  hasAsked(exchange: Exchange): boolean
}

export interface FirstCallRoutes {
  send(connection: Connection): Promise<Outcome>
  /** Where the call goes by what is known now. */
  choose(): Connection
  /** A connection that no other caller has. */
  apart(): Connection
}

/** Calls of one caller that are under way, of items of which nothing is known. */
interface Trial {
  readonly caller: string | undefined
  readonly over: Promise<void>
  readonly end: () => void
  calls: number
}

/**
 * The first call of each item on a connection that several callers share. Questions of older servers do not say whose
 * they are, so what may ask is called by one caller at a time until it has asked, or has ended without a question.
 */
export class FirstCalls {
  readonly #host: FirstCallHost
  readonly #quiet = new Items()
  /** By the key of the connection. */
  readonly #trials = new Map<string, Trial>()

  constructor(host: FirstCallHost) {
    this.#host = host
  }

  /** Whether the item is not known to do without questions. */
  mayAsk(exchange: Exchange): boolean {
    const kind = kindOf(exchange)
    return kind !== undefined && !this.#quiet.has(kind) && !this.#quiet.isFull
  }

  /** The server asked something: where calls go may have changed. */
  asked(): void {
    for (const { end } of this.#trials.values()) end()
    this.#trials.clear()
  }

  /** Whether the call may be one that others have to wait for. A promise where the server is not connected yet. */
  concerns(at: Connection, exchange: Exchange): boolean | Promise<boolean> {
    if (at.isOwn || !this.mayAsk(exchange) || this.#host.hasAsked(exchange)) return false
    return this.#host.mayMix(at, exchange)
  }

  async run(connection: Connection, exchange: Exchange, routes: FirstCallRoutes): Promise<Outcome> {
    const caller = callerKey(exchange)
    let limit: AbortSignal | undefined
    let at = connection
    while (await this.concerns(at, exchange)) {
      const other = this.#trials.get(at.key)
      if (!other || (caller !== undefined && other.caller === caller)) {
        return this.#try(other ?? this.#begin(at.key, caller), at, exchange, routes)
      }
      limit ??= AbortSignal.timeout(LONGEST_WAIT)
      if (limit.aborted) return routes.send(routes.apart())
      await Promise.race([other.over, aborted(limit), aborted(cancellationOf(exchange).signal)])
      at = routes.choose()
    }
    return routes.send(at)
  }

  #begin(key: string, caller: string | undefined): Trial {
    let end = (): void => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    const trial = { caller, over, end, calls: 0 }
    this.#trials.set(key, trial)
    return trial
  }

  async #try(trial: Trial, at: Connection, exchange: Exchange, { send }: FirstCallRoutes): Promise<Outcome> {
    trial.calls++
    try {
      const outcome = await send(at)
      if (!this.#host.hasAsked(exchange) && isDone(outcome)) this.#quiet.add(kindOf(exchange)!)
      return outcome
    } finally {
      if (--trial.calls === 0) {
        if (this.#trials.get(at.key) === trial) this.#trials.delete(at.key)
        trial.end()
      }
    }
  }
}

/** A failure may have come before the question. A question that says whose it is makes no trouble. */
function isDone(outcome: Outcome): boolean {
  if (outcome.type === 'complete') return outlineOf(outcome).isError !== true
  return outcome.type !== 'error'
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
