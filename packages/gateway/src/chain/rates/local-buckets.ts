import { spendTokens, type Buckets, type KeptBucket, type Spent } from '../../store/index.ts'

const MAX_COUNTERS = 100_000

/** Buckets of this process alone: no call waits for a store. */
export class LocalBuckets {
  readonly #kept = new Map<string, KeptBucket & { readonly expires: number }>()

  /** What `spend` would say, without taking anything. */
  look(buckets: Buckets, now: number = Date.now()): Spent {
    return spendTokens({ now, get: (counter) => this.#get(counter, now), put: () => {} }, buckets)
  }

  spend(buckets: Buckets, now: number = Date.now()): Spent {
    return spendTokens(
      {
        now,
        get: (counter) => this.#get(counter, now),
        put: (counter, kept, expires) => {
          // The one that was used longest ago is forgotten first: it is the fullest.
          this.#kept.delete(counter)
          this.#kept.set(counter, { ...kept, expires })
          if (this.#kept.size > MAX_COUNTERS) this.#kept.delete(this.#kept.keys().next().value!)
        },
      },
      buckets,
    )
  }

  #get(counter: string, now: number): KeptBucket | undefined {
    const kept = this.#kept.get(counter)
    return kept && (kept.expires === 0 || kept.expires > now) ? kept : undefined
  }
}
