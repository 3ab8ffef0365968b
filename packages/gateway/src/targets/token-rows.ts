import { createHash } from 'node:crypto'
import type { TokenStorage } from '@gantry/mcp/auth'
import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import { orLost, withLease, type Lease, type Rows, type Store, type StoreError } from '../store/index.ts'

const LONGEST_KEY = 500

export function tokenRows(store: Store): Rows {
  return store.rows({ name: 'tokens', secret: true })
}

/**
 * Tokens and registrations of all targets, encrypted. A token that cannot be decrypted any more is reported, and counts
 * as absent.
 */
export function tokenStorage(store: Store, onUnreadable: (error: unknown) => void): TokenStorage {
  const rows = tokenRows(store)
  /** A refresh whose lease was lost must not replace a newer token by an older one. */
  const held = new Map<string, Lease>()
  /** The tokens that were read last, one for each target. Only used when the store is on another machine. */
  const known = new Map<string, JsonObject | undefined>()
  return {
    async read(key) {
      try {
        const row = await rows.get(rowKey(key))
        const value = row && toObject(parseJson(row.value))
        if (store.kind === 'redis') known.set(key, value)
        return value
      } catch (error) {
        const { code } = error as StoreError
        // While the store cannot be reached, targets go on with the tokens that they have. Most targets need no token.
        if (code === 'unavailable') return known.get(key)
        if (code !== 'unreadable') throw error
        onUnreadable(error)
        return undefined
      }
    },
    async write(key, value) {
      return orLost(rows.put(rowKey(key), JSON.stringify(value), { lease: held.get(key) }).then(() => true))
    },
    async remove(key) {
      await rows.remove(rowKey(key))
    },
    lock: (key, run, signal) =>
      withLease(
        store,
        `tokens ${rowKey(key)}`,
        async (lease, isHeld) => {
          held.set(key, lease)
          try {
            return await run(isHeld)
          } finally {
            held.delete(key)
          }
        },
        signal,
      ),
  }
}

/** Addresses of servers may be longer than keys of the store. */
function rowKey(key: string): string {
  if (key.length <= LONGEST_KEY) return key
  return `sha256:${createHash('sha256').update(key).digest('hex')}`
}

function toObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}
