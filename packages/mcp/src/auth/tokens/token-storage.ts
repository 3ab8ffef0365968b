import type { JsonObject } from '../../jsonrpc/index.ts'

/** Where registrations and tokens are kept. Keys are opaque; values are JSON and secret. */
export interface TokenStorage {
  read(key: string): Promise<JsonObject | undefined>
  /** `false` says that nothing was written, because others have changed it since it was read: theirs counts. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most storages say nothing
  write(key: string, value: JsonObject): Promise<void | boolean>
  remove(key: string): Promise<void>
  /**
   * Runs `run` under a lock across processes, since a refresh token works once. Not re-entrant. Where the lock can be
   * lost, `isHeld` says so: no refresh token is sent without it.
   */
  lock<T>(key: string, run: (isHeld?: IsHeld) => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** Whether the lock is still ours, by our own clock. */
export type IsHeld = () => boolean

/** Keeps everything in memory, for as long as the process lives. */
export function memoryStorage(): TokenStorage {
  const values = new Map<string, string>()
  const lock = keyedMutex()
  return {
    async read(key) {
      const value = values.get(key)
      return value === undefined ? undefined : (JSON.parse(value) as JsonObject)
    },
    async write(key, value) {
      values.set(key, JSON.stringify(value))
    },
    async remove(key) {
      values.delete(key)
    },
    lock,
  }
}

/** A mutex per key: callers run one after another, in the order in which they came. */
export function keyedMutex(): TokenStorage['lock'] {
  const tails = new Map<string, Promise<unknown>>()
  return async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(run, run)
    const tail = mine.then(
      () => {},
      () => {},
    )
    tails.set(key, tail)
    try {
      return await mine
    } finally {
      if (tails.get(key) === tail) tails.delete(key)
    }
  }
}
