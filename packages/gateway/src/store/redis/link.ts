import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ErrorReply } from '@redis/client'
import { StoreError } from '../store-error.ts'
import type { Away } from '../store.ts'
import { createRedisClient, nameOfPlace, type RedisOptions } from './client.ts'
import type { RedisClient } from './redis-client.ts'
import { SCRIPT } from './script.ts'

const SHA = createHash('sha1').update(SCRIPT).digest('hex')
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 500
/** The time-out is counted in so many parts. */
const PARTS = 4
/** More waiting requests mean that Redis answers nothing, and they take memory. */
const MOST_WAITING = 10_000
/** Redis is there, but cannot work now, or is no longer the server that takes writes. */
const NOT_NOW = /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|UNBLOCKED|BUSY|MISCONF)\b/
/** Trying again fails in the same way until a person changes something. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|DENIED|ERR AUTH|ERR This instance has cluster support disabled)/

export interface LinkOptions extends RedisOptions {
  readonly keys: readonly string[]
  readonly maxBytes: number
  /** Redis is away, or back. */
  readonly onAway?: ((away: Away | undefined) => void) | undefined
}

/**
 * One connection to Redis that is made anew whenever it fails. While there is none, everything is refused at once:
 * nothing waits for a server that is away, and nothing is sent a second time.
 */
export class RedisLink {
  readonly #options: LinkOptions
  readonly #name: string
  readonly #ready: (client: RedisClient) => Promise<void>
  #client: RedisClient | undefined
  #connecting: Promise<void> | undefined
  #away: Away | undefined
  /** Functions that end the requests which are under way. */
  readonly #waiting = new Set<(error: Error) => void>()
  #answers = 0
  readonly #closing = new AbortController()

  /** `ready` is told of every new connection, before anybody else can use it. */
  constructor(options: LinkOptions, ready: (client: RedisClient) => Promise<void>) {
    this.#options = options
    this.#name = nameOfPlace(options.place)
    this.#ready = ready
  }

  get away(): Away | undefined {
    return this.#away
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Resolves whether or not Redis is there; rejects when it refuses us. */
  async open(): Promise<void> {
    try {
      await this.#connect()
    } catch (error) {
      if (this.#isRefusal(error)) throw this.#refusal(error)
      this.#lose(error)
    }
  }

  /** Runs an operation of the script. */
  async run(
    name: string,
    args: readonly (string | Buffer)[],
    client: RedisClient | undefined = this.#client,
  ): Promise<unknown> {
    if (this.#closed) throw new StoreError('closed', 'The store is closed')
    if (!client) throw this.#unavailable(this.#away?.reason ?? 'it is not connected')
    if (this.#waiting.size >= MOST_WAITING) throw this.#unavailable(`${MOST_WAITING} requests wait for it`)
    const call = {
      keys: [...this.#options.keys],
      arguments: [name, String(this.#options.maxBytes), ...args],
    }
    try {
      return await this.#inTime(
        client.evalSha(SHA, call).catch((error: Error) => {
          // A server that was started since, or was promoted, does not know the script.
          if (error.message.startsWith('NOSCRIPT')) return client.eval(SCRIPT, call)
          throw error
        }),
      )
    } catch (error) {
      throw this.#explain(error, client)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const client = this.#client
    // Taken away first: that it ends is no news then.
    this.#client = undefined
    await destroy(client)
    await this.#connecting?.catch(() => {})
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #attempt(): Promise<void> {
    const client = createRedisClient(this.#options)
    let cause: Error | undefined
    const failed = (error?: Error): void => {
      cause = error ?? cause
      if (this.#client === client) this.#lose(error)
    }
    client.on('error', failed)
    client.on('end', failed)
    client.on('terminated', failed)
    try {
      await this.#inTime(client.connect())
      await this.#inTime(this.#ready(client))
      if (this.#closed) return void (await destroy(client))
      this.#client = client
      this.#tell(undefined)
    } catch (error) {
      // Not waited for: a client that is stuck ends when it can, and the next is made meanwhile.
      void destroy(client)
      throw error instanceof StoreError && error.code !== 'unavailable' ? error : (cause ?? error)
    }
  }

  /** Connects again, over and over, with pauses that grow and differ between processes. */
  #lose(error: unknown): void {
    const lost = this.#client
    this.#client = undefined
    void destroy(lost)
    // The library may forget some of them, and answers on the next connection are no answers to these.
    for (const end of this.#waiting) end(new Error(wordsOf(error)))
    this.#tell(error ?? new Error())
    if (!this.#connecting && !this.#closed) void this.#retry()
  }

  /** Reports when Redis goes away, with the first reason, and when it is back. */
  #tell(error: unknown): void {
    const before = this.#away
    this.#away =
      error === undefined ? undefined : { since: before?.since ?? Date.now(), reason: wordsOf(error) }
    if ((before === undefined) !== (this.#away === undefined)) this.#options.onAway?.(this.#away)
  }

  async #retry(): Promise<void> {
    for (
      let pause = FIRST_PAUSE;
      !this.#closed && !this.#client;
      pause = Math.min(2 * pause, LONGEST_PAUSE)
    ) {
      // This timer keeps the process alive: a gateway that starts may have nothing else to wait for.
      await delay(pause * (0.5 + Math.random() / 2), undefined, { signal: this.#closing.signal }).catch(
        () => {},
      )
      try {
        if (!this.#closed) await this.#connect()
      } catch (error) {
        this.#tell(error)
      }
    }
  }

  /**
   * Redis is away when it answers nothing for the time-out. A long queue is not that: its answers come one after
   * another. The time is counted in parts, so that a process that stood still has lost one part and not all of it.
   */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const { timeout } = this.#options
    let timer: NodeJS.Timeout | undefined
    let end = (_: Error): void => {}
    const silence = new Promise<never>((_, reject) => {
      end = reject
      let seen = this.#answers
      let parts = 0
      const count = (): void => {
        parts = seen === this.#answers ? parts + 1 : 0
        seen = this.#answers
        if (parts < PARTS) timer = setTimeout(count, timeout / PARTS)
        else reject(new Error(`it did not answer within ${timeout} ms`))
      }
      timer = setTimeout(count, timeout / PARTS)
    })
    const answered = (): void => {
      this.#answers += 1
    }
    answer.then(answered, answered)
    this.#waiting.add(end)
    try {
      return await Promise.race([answer, silence])
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(end)
    }
  }

  #explain(error: unknown, client: RedisClient): StoreError {
    if (error instanceof StoreError) return error
    const { message } = error as Error
    const own = /GANTRY (full|lost_lease) (.*)$/.exec(message)
    if (own) return new StoreError(own[1] as 'full' | 'lost_lease', own[2]!)
    if (message.startsWith('OOM')) {
      return new StoreError('full', `Nothing was written: the memory of ${this.#name} is full`)
    }
    if (error instanceof ErrorReply && !NOT_NOW.test(message)) {
      return new StoreError('failed', `${this.#name} refused the operation: ${message}`, { cause: error })
    }
    if (this.#client === client) this.#lose(error)
    return this.#unavailable(wordsOf(error), error)
  }

  #unavailable(reason: string, cause?: unknown): StoreError {
    return new StoreError('unavailable', `${this.#name} cannot be used now: ${reason}`, { cause })
  }

  #isRefusal(error: unknown): boolean {
    if (error instanceof StoreError) return error.code !== 'unavailable'
    return REFUSED.test(wordsOf(error))
  }

  #refusal(error: unknown): StoreError {
    if (error instanceof StoreError && error.code === 'unusable') return error
    const { cause = error } = error as StoreError
    return new StoreError('unusable', `${this.#name} refuses this gateway: ${wordsOf(cause)}`, { cause })
  }
}

async function destroy(client: RedisClient | undefined): Promise<void> {
  try {
    await client?.destroy()
  } catch {
    // It was closed already.
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('; ')
  return error instanceof Error && error.message !== '' ? error.message : 'the connection ended'
}
