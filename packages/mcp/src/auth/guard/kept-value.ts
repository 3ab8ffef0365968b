/** How long a failure is remembered, so that callers cannot make us ask a broken server again and again. */
const FAILURE_MS = 5_000

/**
 * A value that takes a request to get: got once however many wait for it, kept for a time, and not asked for
 * again right after a failure. A value that cannot be renewed is used for one more period, no longer.
 */
export class KeptValue<T> {
  readonly #load: () => Promise<T>
  readonly #ttlMs: number
  #value: { readonly of: T; readonly since: number } | undefined
  #failure: { readonly error: unknown; readonly since: number } | undefined
  #loading: Promise<T> | undefined

  constructor(load: () => Promise<T>, ttlMs: number) {
    this.#load = load
    this.#ttlMs = ttlMs
  }

  async get(): Promise<T> {
    const age = this.#value === undefined ? Number.POSITIVE_INFINITY : Date.now() - this.#value.since
    if (age < this.#ttlMs) return this.#value!.of
    try {
      return await this.#renew()
    } catch (error) {
      if (age < 2 * this.#ttlMs) return this.#value!.of
      throw error
    }
  }

  #renew(): Promise<T> {
    if (this.#failure && Date.now() - this.#failure.since < FAILURE_MS) {
      return Promise.reject(this.#failure.error)
    }
    this.#loading ??= this.#load()
      .then(
        (of) => {
          this.#value = { of, since: Date.now() }
          this.#failure = undefined
          return of
        },
        (error) => {
          this.#failure = { error, since: Date.now() }
          throw error
        },
      )
      .finally(() => {
        this.#loading = undefined
      })
    return this.#loading
  }
}
