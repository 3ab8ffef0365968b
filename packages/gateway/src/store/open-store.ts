import type { Driver, Heard } from './driver.ts'
import { MemoryDriver } from './memory-driver.ts'
import type { RedisOptions } from './redis/client.ts'
import { checkKey, createRows, revealValue } from './rows.ts'
import type { StoreError } from './store-error.ts'
import type { Away, Sealing, Store, Listener } from './store.ts'

const MIB = 1024 * 1024
/** Rows that are moved have been counted where they were. */
const MOST_ROWS = 1_000_000
const SWEEP = { interval: 30_000, slice: 500 }

export interface EmbeddedOptions {
  /** The file; its folder is made when it is missing. */
  readonly path: string
  /** How many bytes all rows may have together. Default 512 MiB. */
  readonly maxBytes?: number | undefined
  /** Rows that are secret cannot be kept without it. */
  readonly sealing?: Sealing
}

export interface RedisStoreOptions extends RedisOptions {
  /** The prefix of all keys. */
  readonly prefix: string
  /** Redis is away, or back. */
  readonly onAway?: ((away: Away | undefined) => void) | undefined
  /** How many bytes all rows may have together. Default 512 MiB. */
  readonly maxBytes?: number | undefined
  /** Rows that are secret cannot be kept without it. */
  readonly sealing?: Sealing
}

/** In memory: ends with the process. */
export function createMemoryStore({ maxBytes = 64 * MIB }: { maxBytes?: number } = {}): Store {
  return createStore(new MemoryDriver(maxBytes), undefined)
}

/** In a file that several processes of one machine may share. Rejects with a `StoreError` when it cannot be used. */
export async function openEmbeddedStore(options: EmbeddedOptions): Promise<Store> {
  const { path, maxBytes = 512 * MIB, sealing } = options
  const { openEmbeddedDriver } = await import('./embedded/embedded-driver.ts')
  return createStore(await openEmbeddedDriver(path, maxBytes), sealing)
}

/**
 * Opens a store on a server that several machines share. A server that cannot be reached is tried again. A server that
 * refuses us rejects.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const { maxBytes = 512 * MIB, sealing, ...place } = options
  const { openRedisDriver } = await import('./redis/redis-driver.ts')
  return createStore(await openRedisDriver({ ...place, maxBytes }), sealing)
}

function createStore(driver: Driver, sealing: Sealing | undefined): Store {
  const channels = new Channels(driver)
  const underWay = new Set<Promise<unknown>>()
  const track = <T>(work: Promise<T>): Promise<T> => {
    const settled: Promise<unknown> = work.catch(() => {}).finally(() => underWay.delete(settled))
    underWay.add(settled)
    return work
  }
  const sweeper = setInterval(() => void sweep(driver), SWEEP.interval).unref()
  return {
    kind: driver.kind,
    get away() {
      return driver.away
    },
    rows: (options) => createRows({ driver, sealing, track }, options),
    spend: async (buckets) => {
      Object.keys(buckets).forEach(checkKey)
      return driver.run('spend', buckets)
    },
    acquire: async (name, ttl) => driver.run('acquire', { name: checkKey(name), ttl }),
    renew: (lease, ttl) => driver.run('renew', { lease, ttl }),
    release: (lease) => driver.run('release', lease),
    holds: (lease) => driver.run('holds', lease),
    async publish(channel, text) {
      await driver.run('publish', { channel, text })
    },
    subscribe: (channel, listener) => channels.subscribe(channel, listener),
    inspect: () => driver.run('inspect', undefined),
    scan: (after, limit) => driver.run('scan', { after, limit }),
    reveal: (row) => revealValue(sealing, row),
    async restore({ table, key, bytes, secret, expires }) {
      const ttl = expires === undefined ? undefined : expires - Date.now()
      await driver.run('put', { table, key, bytes, secret, maxRows: MOST_ROWS, ttl, lease: undefined })
    },
    track,
    async close() {
      clearInterval(sweeper)
      channels.close()
      while (underWay.size > 0) await Promise.all(underWay)
      await driver.close()
    },
  }
}

/** Sweeps in slices, so that nothing else waits long. A sweep that fails is tried again after the interval. */
async function sweep(driver: Driver): Promise<void> {
  try {
    for (let swept = SWEEP.slice; swept === SWEEP.slice; ) swept = await driver.run('sweep', SWEEP.slice)
  } catch {
    // The next write fails in the same way, and its caller gets the error.
  }
}

/** The listeners of each channel. The driver hears messages only while there is a listener. */
export class Channels {
  readonly #driver: Driver
  /** With the number of the last message before each of them came. */
  readonly #listeners = new Map<string, Map<Listener, number>>()
  #stop: Promise<() => void> | undefined

  constructor(driver: Driver) {
    this.#driver = driver
  }

  async subscribe(channel: string, listener: Listener): Promise<() => void> {
    const listeners = this.#listeners.get(channel) ?? new Map<Listener, number>()
    this.#listeners.set(channel, listeners.set(listener, Infinity))
    const leave = (): void => {
      if (!listeners.delete(listener) || listeners.size > 0) return
      this.#listeners.delete(channel)
      if (this.#listeners.size === 0) this.close()
    }
    try {
      this.#stop ??= this.#driver.watch((news) => this.#tell(news))
      await this.#stop
      // Redis that is away: all that comes when it is back is new.
      const newest = await this.#driver.run('newest', undefined).catch((error: StoreError) => {
        if (error.code !== 'unavailable') throw error
        return 0
      })
      if (listeners.has(listener)) listeners.set(listener, newest)
      return leave
    } catch (error) {
      leave()
      throw error
    }
  }

  close(): void {
    this.#stop?.then((stop) => stop()).catch(() => {})
    this.#stop = undefined
  }

  #tell({ messages, missed }: Heard): void {
    for (const listeners of missed ? this.#listeners.values() : []) {
      for (const listener of listeners.keys()) listener.missed()
    }
    for (const { channel, text, number } of messages) {
      for (const [listener, newest] of this.#listeners.get(channel) ?? []) {
        if (number > newest) listener.message(text)
      }
    }
  }
}
