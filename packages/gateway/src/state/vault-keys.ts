import { join } from 'node:path'
import { writeFileAtomic } from '../config/index.ts'
import type { KeyFile } from '../identity/vault/key-ring.ts'
import { refuseForeign, type GatewayModel } from '../model/index.ts'
import type { Store } from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'
import type { State } from './open-state.ts'
import { keepKey, newKey, readKeys } from './sealing-keys.ts'

/** The rows that have the keys where machines share the store. */
export const VAULT_KEYS = 'vault-keys'
const RING = 'ring'
const LOST = 'people have to connect their accounts again'

export interface VaultKeys extends KeyFile {
  /** The existing keys. Does not make a key. */
  peek(): Promise<readonly string[]>
}

/**
 * The keys of the vault, made when first needed: a file of the state folder, or a secret row where machines share the
 * store, or in memory where state is not kept.
 */
export function vaultKeys(
  { stateDir }: GatewayModel,
  { isKept, store }: Pick<State, 'isKept' | 'store'>,
  log: Log,
): VaultKeys {
  if (!isKept || store.kind === 'memory') return memoryKeys()
  if (store.kind === 'redis') return sharedKeys(store)
  const file = join(stateDir, 'vault.key')
  return {
    peek: async () => readKeys(file) ?? [],
    async load() {
      // Another user would know a key that they put there.
      refuseForeign(file)
      if ((readKeys(file) ?? []).length === 0) await keepKey(file, log, LOST)
      return readKeys(file) ?? []
    },
    save: (keys) => writeFileAtomic(file, `${keys.join('\n')}\n`, { mode: 0o600 }),
    create: newKey,
  }
}

function sharedKeys(store: Store): VaultKeys {
  const rows = store.rows({ name: VAULT_KEYS, secret: true, maxRows: 1, maxValueBytes: 64 * 1024 })
  const read = async (): Promise<string[]> => (await rows.get(RING))?.value.split('\n') ?? []
  return {
    peek: read,
    async load() {
      const kept = await read()
      if (kept.length > 0) return kept
      // When several gateways need the first key at once, all take the key that was written first.
      await rows.swap(RING, undefined, newKey())
      return read()
    },
    save: async (keys) => void (await rows.put(RING, keys.join('\n'))),
    create: newKey,
  }
}

function memoryKeys(): VaultKeys {
  let keys: readonly string[] = [newKey()]
  return {
    peek: async () => keys,
    load: async () => keys,
    save: async (next) => {
      keys = next
    },
    create: newKey,
  }
}
