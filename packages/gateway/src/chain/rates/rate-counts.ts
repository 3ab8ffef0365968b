import type { RateModel } from '../../model/index.ts'
import type { Store } from '../../store/index.ts'
import { LateRefusals } from './late-refusals.ts'
import { LocalBuckets, type NamedBuckets } from './local-buckets.ts'

const DAY = 24 * 60 * 60 * 1000
const MAX_SHARES = 10_000
const MAX_NAME = 80

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

/** What one caller, or one value of `by`, has used of a limit. */
export interface ShareFill {
  readonly who: string
  readonly fills: readonly Fill[]
}

/** What this process has counted, on all endpoints together: a limit is not passed by using another one. */
export class RateCounts {
  readonly local: LocalBuckets = new LocalBuckets()
  readonly running: Running = new Running()
  readonly late: LateRefusals = new LateRefusals()
  readonly #refused = new Map<string, number>()
  /** What was counted, by the key of the share. */
  readonly #counted = new Map<string, Share>()
  #calls = 0

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
      return { of: counter.endsWith(' rate') ? 'rate' : 'perDay', used: Math.ceil(capacity - left), capacity }
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

  count(key: string): number {
    return this.#counts.get(key) ?? 0
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
    const count = this.count(key) + by
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}
