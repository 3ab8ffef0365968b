import type { RateModel } from '../../model/index.ts'
import type { Store } from '../../store/index.ts'
import { LocalBuckets, type NamedBuckets } from './local-buckets.ts'

const DAY = 24 * 60 * 60 * 1000
const MAX_SHARES = 10_000
const MAX_NAME = 80
/** How often other processes are told what was counted. */
const TELL_EVERY = 100

/** A limit, and what of it requests are counted as. The same requests come again and again, so it is kept. */
export class Share {
  readonly limit: RateModel
  readonly key: string
  /** The callers that were counted, with the number of their last call. */
  who = ''
  at = 0
  #cost = -1
  #day = -1
  #buckets: NamedBuckets = []

  constructor(limit: RateModel, key: string) {
    this.limit = limit
    this.key = key
  }

  /** The buckets that a request takes its cost from. */
  buckets(cost: number): NamedBuckets {
    const { rate, perDay } = this.limit
    const day = perDay === undefined ? 0 : Math.floor(Date.now() / DAY)
    if (cost === this.#cost && day === this.#day) return this.#buckets
    const buckets: NamedBuckets[number][] = []
    if (rate) {
      const { calls, seconds, burst } = rate
      buckets.push([`${this.key} rate`, { capacity: burst, perSecond: calls / seconds, cost }])
    }
    if (perDay !== undefined) {
      const fullAt = (day + 1) * DAY
      buckets.push([`${this.key} day ${day}`, { capacity: perDay, perSecond: 0, fullAt, cost }])
    }
    this.#cost = cost
    this.#day = day
    this.#buckets = buckets
    return buckets
  }
}

/** How much of one number of a limit is used. */
export interface Fill {
  readonly of: 'rate' | 'perDay' | 'concurrent'
  readonly used: number
  readonly capacity: number
}

/** What a caller, or a value of `by`, has used of a limit. */
export interface ShareFill {
  readonly who: string
  readonly fills: readonly Fill[]
}

/** What one process has counted, for the others that share its limits. */
export interface Counted {
  readonly spent: NamedBuckets
  /** Calls under way now, by what they are counted as. */
  readonly running: readonly (readonly [key: string, count: number])[]
}

/**
 * What this process has counted, on all endpoints together, so that nobody gets past a limit by using another endpoint.
 */
export class RateCounts {
  readonly local: LocalBuckets = new LocalBuckets()
  readonly running: Running = new Running()
  readonly #refused = new Map<string, number>()
  /** What was counted, by the key of the share. */
  readonly #counted = new Map<string, Share>()
  #calls = 0

  /**
   * Counts together with other processes. `tell` passes on to them what was counted here, soon after; no call waits for
   * that. Returns what takes in what they say; undefined: that process is gone.
   */
  shareWith(tell: (counted: Counted) => void): (from: number, counted: Counted | undefined) => void {
    let isSoon = false
    const soon = (): void => {
      if (isSoon) return
      isSoon = true
      setTimeout(() => {
        isSoon = false
        tell({ spent: this.local.takeUntold(), running: this.running.takeUntold() })
      }, TELL_EVERY).unref()
    }
    this.local.tell(soon)
    this.running.tell(soon)
    return (from, counted) => {
      this.running.elsewhere(from, counted?.running)
      if (counted) this.local.spentElsewhere(counted.spent)
    }
  }

  counted(share: Share, name: string): void {
    share.at = ++this.#calls
    share.who = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name
    if (this.#counted.get(share.key) === share) return
    if (this.#counted.size >= MAX_SHARES) this.#forgetOlder()
    this.#counted.set(share.key, share)
  }

  /** Forgets half of them at once, so that this happens rarely. */
  #forgetOlder(): void {
    const oldest = [...this.#counted].sort(([, one], [, other]) => one.at - other.at)
    for (const [key] of oldest.slice(0, MAX_SHARES / 2)) this.#counted.delete(key)
  }

  refused({ name }: RateModel): void {
    if (this.#refused.has(name) || this.#refused.size < MAX_SHARES) {
      this.#refused.set(name, this.refusedBy(name) + 1)
    }
  }

  /** How many calls a limit refused. */
  refusedBy(name: string): number {
    return this.#refused.get(name) ?? 0
  }

  /** What is used of a limit now, the fullest first, and by how many it was used. */
  async fills(limit: RateModel, store: Store, most: number): Promise<{ shares: ShareFill[]; total: number }> {
    const known = [...this.#counted.values()].filter((share) => share.limit.name === limit.name)
    known.sort((one, other) => one.at - other.at)
    // Only callers who were counted recently can be near the limit.
    const looked = known.slice(-most * 10)
    const shares = await Promise.all(
      looked.map(async ({ key, who }) => ({
        who,
        fills: await this.#fillsOf(new Share(limit, key), store),
      })),
    )
    const used = shares.filter(({ fills }) => fills.some((fill) => fill.used > 0))
    used.sort((one, other) => fullest(other) - fullest(one))
    return { shares: used.slice(0, most), total: known.length }
  }

  async #fillsOf(share: Share, store: Store): Promise<Fill[]> {
    const { limit, key } = share
    const looked = share.buckets(0).map(async ([counter, bucket]): Promise<Fill> => {
      // Takes nothing, and so says what is left.
      const { left } =
        limit.shared && !store.away
          ? await store.spend({ [counter]: bucket })
          : this.local.look([[counter, bucket]])
      const { capacity } = bucket
      // More is used up where several processes have spent it at the same time.
      const used = Math.min(capacity, Math.ceil(capacity - left))
      return { of: counter.endsWith(' rate') ? 'rate' : 'perDay', used, capacity }
    })
    const fills = await Promise.all(looked)
    if (limit.concurrent === undefined) return fills
    return [...fills, { of: 'concurrent', used: this.running.count(key), capacity: limit.concurrent }]
  }
}

function fullest({ fills }: ShareFill): number {
  return Math.max(...fills.map(({ used, capacity }) => used / capacity))
}

/** Calls under way, by the limit and what they are counted as. */
class Running {
  readonly #counts = new Map<string, number>()
  /** Calls that run at other processes. */
  readonly #elsewhere = new Map<number, Map<string, number>>()
  /** What has changed since the others were told. Undefined: there are no others. */
  #untold: Set<string> | undefined
  #onChange: (() => void) | undefined

  count(key: string): number {
    let count = this.#counts.get(key) ?? 0
    for (const counts of this.#elsewhere.values()) count += counts.get(key) ?? 0
    return count
  }

  /** From now on `onChange` hears that there is something for `takeUntold`. */
  tell(onChange: () => void): void {
    this.#untold = new Set()
    this.#onChange = onChange
  }

  takeUntold(): (readonly [key: string, count: number])[] {
    const changed = [...(this.#untold ?? [])].map((key) => [key, this.#counts.get(key) ?? 0] as const)
    this.#untold?.clear()
    return changed
  }

  /** What another process says of itself; undefined: it is gone. */
  elsewhere(from: number, changed: readonly (readonly [key: string, count: number])[] | undefined): void {
    if (!changed) return void this.#elsewhere.delete(from)
    const counts = this.#elsewhere.get(from) ?? new Map<string, number>()
    this.#elsewhere.set(from, counts)
    for (const [key, count] of changed) {
      if (count > 0) counts.set(key, count)
      else counts.delete(key)
    }
  }

  /** Returns how to leave; throws what `refusal` makes of a limit that is reached. */
  enter(shares: readonly Share[], refusal: (limit: RateModel) => Error): () => void {
    for (const { limit, key } of shares) {
      if (limit.concurrent !== undefined && this.count(key) >= limit.concurrent) throw refusal(limit)
    }
    this.#addAll(shares, 1)
    let isIn = true
    return () => {
      if (isIn) this.#addAll(shares, -1)
      isIn = false
    }
  }

  #addAll(shares: readonly Share[], by: number): void {
    for (const { limit, key } of shares) if (limit.concurrent !== undefined) this.#add(key, by)
  }

  #add(key: string, by: number): void {
    const count = (this.#counts.get(key) ?? 0) + by
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
    this.#untold?.add(key)
    this.#onChange?.()
  }
}
