import { Channels } from './channels.ts'
import type { Driver } from './driver.ts'
import { MemoryDriver } from './memory-driver.ts'
import { checkKey, createRows, revealValue } from './rows.ts'
import type { Sealing, Store } from './store.ts'

const MIB = 1024 * 1024
const SWEEP = { interval: 30_000, slice: 500 }

export interface EmbeddedOptions {
  /** The file; its folder is made when it is missing. */
  readonly path: string
  /** Of all rows together. Default 512 MiB. */
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

function createStore(driver: Driver, sealing: Sealing | undefined): Store {
  const channels = new Channels(driver)
  const writing = new Set<Promise<unknown>>()
  const track = <T>(write: Promise<T>): Promise<T> => {
    const settled: Promise<unknown> = write.catch(() => {}).finally(() => writing.delete(settled))
    writing.add(settled)
    return write
  }
  const sweeper = setInterval(() => void sweep(driver), SWEEP.interval).unref()
  return {
    kind: driver.kind,
    rows: (options) => createRows({ driver, sealing, track }, options),
    spend: async (counter, bucket) => driver.run('spend', { counter: checkKey(counter), bucket }),
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
    async close() {
      clearInterval(sweeper)
      channels.close()
      await Promise.all(writing)
      await driver.close()
    },
  }
}

/** In slices, so that nothing else waits long. What fails is tried again after the interval. */
async function sweep(driver: Driver): Promise<void> {
  try {
    for (let swept = SWEEP.slice; swept === SWEEP.slice; ) swept = await driver.run('sweep', SWEEP.slice)
  } catch {
    // The next write meets the same trouble, and its caller is told.
  }
}
