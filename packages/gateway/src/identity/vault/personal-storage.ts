import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { TokenStorage } from '@gantry/mcp/auth'
import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import { orLost, type Lease, type Store } from '../../store/index.ts'
import type { Place, Vault, VersionedEntry } from './vault.ts'

const CLIENT = 'client '
/** How the SDK calls the lock of a sign-in, which lasts as long as a person takes. */
const SIGN_IN = ' user'

/**
 * The tokens of one person at one target, for the SDK's OAuth client. Only one process at a time renews them. A renewal
 * overwrites only the account that it has read: an account that was disconnected meanwhile does not come back.
 */
export function personalStorage(vault: Vault, place: Place): TokenStorage {
  const clients = clientStorage(vault.store)
  let lease: Lease | undefined
  let before: VersionedEntry | undefined
  return {
    async read(key) {
      if (key.startsWith(CLIENT)) return clients.read(key)
      const found = await vault.get(place)
      if (lease) before = found
      return found?.entry.tokens
    },
    async write(key, tokens) {
      if (key.startsWith(CLIENT)) return clients.write(key, tokens)
      if (!before) return orLost(vault.put({ ...place, connectedAt: Date.now(), tokens }, { lease }))
      return replace(vault, before, tokens)
    },
    async remove(key) {
      if (key.startsWith(CLIENT)) return clients.remove(key)
      await vault.remove(place)
    },
    lock(key, run, signal) {
      // A page that was closed must not keep its person from another try.
      if (key.endsWith(SIGN_IN)) return run()
      return vault.lock(
        place,
        'tokens',
        async (held, isHeld) => {
          lease = held
          before = undefined
          try {
            return await run(isHeld)
          } finally {
            lease = undefined
            before = undefined
          }
        },
        signal,
      )
    },
  }
}

/**
 * Writes only if the row still has the account that was read. So new tokens are not lost when a lease ended or the keys
 * were rotated meanwhile. Returns false when the account is another one or gone.
 */
async function replace(vault: Vault, before: VersionedEntry, tokens: JsonObject): Promise<boolean> {
  for (let found: VersionedEntry | undefined = before; found; ) {
    const { entry, version } = found
    if (await vault.put({ ...entry, tokens }, { version })) return true
    found = await vault.get(entry)
    if (!isDeepStrictEqual(found?.entry, entry)) return false
  }
  return false
}

/** The storage of the gateway's registrations at authorization servers, which all people share. */
function clientStorage(store: Store): Omit<TokenStorage, 'lock'> {
  const rows = store.rows({ name: 'vault-clients', secret: true, maxRows: 1000, maxValueBytes: 64 * 1024 })
  const rowKey = (key: string): string => createHash('sha256').update(key).digest('base64url')
  return {
    async read(key) {
      const row = await rows.get(rowKey(key)).catch((error: { code?: string }) => {
        if (error.code === 'unreadable') return undefined
        throw error
      })
      const value = row && parseJson(row.value)
      return isJsonObject(value) ? value : undefined
    },
    async write(key, value) {
      await rows.put(rowKey(key), JSON.stringify(value))
    },
    async remove(key) {
      await rows.remove(rowKey(key))
    },
  }
}
