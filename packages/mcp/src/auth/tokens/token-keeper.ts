import { McpError } from '../../jsonrpc/index.ts'
import { oauthError } from '../http/oauth-error.ts'
import { cancelled } from '../http/oauth-http.ts'
import { fromJson, toJson, type TokenSet } from './token-set.ts'
import { keyedMutex, type IsHeld, type TokenStorage } from './token-storage.ts'

/** Thrown before anything was sent: another process may have renewed the tokens meanwhile. */
export class LostLock extends Error {}

/** Holds the tokens of one server. Only one renewal runs at a time, also across processes. Sign-in has its own lock. */
export class TokenKeeper {
  readonly #storage: TokenStorage
  readonly #key: string
  readonly #mutex = keyedMutex()
  readonly #flights = new Map<string, Flight<unknown>>()
  #tokens: TokenSet | undefined
  #unsaved = false
  #loading: Promise<void> | undefined
  #loaded = false

  constructor(storage: TokenStorage, key: string) {
    this.#storage = storage
    this.#key = key
  }

  get current(): TokenSet | undefined {
    return this.#tokens
  }

  /** The storage had no tokens when it was read last. */
  get hasNone(): boolean {
    return this.#loaded && this.#tokens === undefined
  }

  /** Reads the storage the first time; later calls answer from memory. */
  async load(): Promise<TokenSet | undefined> {
    this.#loading ??= this.reload().then(() => {
      this.#loaded = true
    })
    try {
      await this.#loading
    } catch (thrown) {
      this.#loading = undefined
      throw thrown
    }
    return this.#tokens
  }

  /** Reads the stored tokens, which another process may have renewed. */
  async reload(): Promise<TokenSet | undefined> {
    const stored = await this.#read()
    const own = this.#unsaved ? this.#tokens : undefined
    // Tokens that could not be written may hold the only valid refresh token, unless another process wrote later.
    if (own !== undefined && own.obtainedAt >= (stored?.obtainedAt ?? 0)) await this.save(own)
    else this.#adopt(stored)
    return this.#tokens
  }

  async #read(): Promise<TokenSet | undefined> {
    return fromJson(await guarded('read', this.#storage.read(this.#key)))
  }

  #adopt(stored: TokenSet | undefined): void {
    this.#tokens = stored
    this.#unsaved = false
  }

  async save(tokens: TokenSet): Promise<void> {
    const writing = guarded('written', this.#storage.write(this.#key, toJson(tokens)))
    const isWritten = await writing.catch((thrown) => {
      this.#tokens = tokens
      this.#unsaved = true
      throw thrown
    })
    // Not before: if another process has stored newer tokens, these must not be used.
    this.#adopt(isWritten === false ? await this.#read() : tokens)
  }

  async clear(): Promise<void> {
    this.#tokens = undefined
    this.#unsaved = false
    await guarded('written', this.#storage.remove(this.#key))
  }

  /**
   * Runs work on the stored tokens under a lock, and runs it again if the lock was lost before anything was sent. The
   * work must never wait for a user, because calls wait for it.
   */
  async locked<T>(run: (isHeld: IsHeld) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      try {
        return await this.#alone(this.#key, run, signal)
      } catch (thrown) {
        if (!(thrown instanceof LostLock)) throw thrown
      }
    }
  }

  /** Runs one authorization at a time. It may wait for a user, so nothing else waits for it. */
  authorizing<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#alone(`${this.#key} user`, run, signal)
  }

  #alone<T>(name: string, run: (isHeld: IsHeld) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#mutex(name, () => {
      signal?.throwIfAborted()
      return this.#storage.lock(name, (isHeld = () => true) => run(isHeld), signal)
    })
  }

  /** `share` for what needs no user. */
  exclusively<T>(
    need: string,
    run: (signal: AbortSignal, isHeld: IsHeld) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.share(need, (ended) => this.locked((isHeld) => run(ended, isHeld), ended), signal)
  }

  /** Runs `run` once for equal needs. It is aborted when all callers left, unless they ran out of time. */
  share<T>(need: string, run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let flight = this.#flights.get(need) as Flight<T> | undefined
    if (flight === undefined) {
      const abort = new AbortController()
      const started = run(abort.signal)
      flight = { result: started, abort, waiters: 0 }
      const mine = flight
      this.#flights.set(need, mine)
      const landed = (): void => {
        if (this.#flights.get(need) === mine) this.#flights.delete(need)
      }
      started.then(landed, landed)
    }
    return this.#board(need, flight, signal)
  }

  async #board<T>(need: string, flight: Flight<T>, signal: AbortSignal | undefined): Promise<T> {
    flight.waiters += 1
    if (signal === undefined) return flight.result
    let leave: (() => void) | undefined
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        const { reason } = signal
        reject(reason instanceof McpError ? reason : cancelled(signal))
        if (isTimeout(reason)) return
        flight.waiters -= 1
        if (flight.waiters > 0) return
        this.#flights.delete(need)
        flight.abort.abort(signal.reason)
      }
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
    try {
      return await Promise.race([flight.result, left])
    } finally {
      if (leave !== undefined) signal.removeEventListener('abort', leave)
    }
  }
}

function isTimeout(reason: unknown): boolean {
  if (reason instanceof McpError) return reason.code === 'timeout'
  return reason instanceof Error && reason.name === 'TimeoutError'
}

interface Flight<T> {
  readonly result: Promise<T>
  readonly abort: AbortController
  waiters: number
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
