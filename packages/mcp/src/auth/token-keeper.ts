import { McpError } from '../jsonrpc/index.ts'
import { oauthError } from './oauth-error.ts'
import { fromJson, toJson, type TokenSet } from './token-set.ts'
import { keyedMutex, type TokenStorage } from './token-storage.ts'

/**
 * Holds the tokens of one server and lets one renewal at a time happen: callers with the same need share one
 * attempt and its end, good or bad; others wait their turn; other processes wait at the storage's lock.
 */
export class TokenKeeper {
  readonly #storage: TokenStorage
  readonly #key: string
  readonly #mutex = keyedMutex()
  readonly #flights = new Map<string, Promise<unknown>>()
  #tokens: TokenSet | undefined
  #loading: Promise<void> | undefined

  constructor(storage: TokenStorage, key: string) {
    this.#storage = storage
    this.#key = key
  }

  get current(): TokenSet | undefined {
    return this.#tokens
  }

  /** Reads the storage the first time; later calls answer from memory. */
  async load(): Promise<TokenSet | undefined> {
    this.#loading ??= this.reload().then(() => {})
    try {
      await this.#loading
    } catch (thrown) {
      this.#loading = undefined
      throw thrown
    }
    return this.#tokens
  }

  /** What is stored now; another process may have renewed it. */
  async reload(): Promise<TokenSet | undefined> {
    this.#tokens = fromJson(await guarded('read', this.#storage.read(this.#key)))
    return this.#tokens
  }

  async save(tokens: TokenSet): Promise<void> {
    // In memory first: a storage that fails must not cost the token that was just obtained.
    this.#tokens = tokens
    await guarded('written', this.#storage.write(this.#key, toJson(tokens)))
  }

  async clear(): Promise<void> {
    this.#tokens = undefined
    await guarded('written', this.#storage.remove(this.#key))
  }

  /** Runs `run` alone; `need` names what it is for. */
  exclusively<T>(need: string, run: () => Promise<T>): Promise<T> {
    const flying = this.#flights.get(need) as Promise<T> | undefined
    if (flying !== undefined) return flying
    const flight = this.#mutex('', () => this.#storage.lock(this.#key, run))
    this.#flights.set(need, flight)
    const landed = (): void => {
      this.#flights.delete(need)
    }
    flight.then(landed, landed)
    return flight
  }
}

async function guarded<T>(what: string, operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (thrown) {
    if (thrown instanceof McpError) throw thrown
    throw oauthError('storage', `the token storage cannot be ${what}`, {
      found: thrown instanceof Error ? thrown.message : String(thrown),
      cause: thrown,
    })
  }
}
