import { join } from 'node:path'
import { writeFileAtomic } from '../config/index.ts'
import type { KeyFile } from '../identity/vault/key-ring.ts'
import { refuseForeign, type GatewayModel } from '../model/index.ts'
import type { Log } from '../telemetry/log.ts'
import { keepKey, newKey, readKeys } from './sealing-keys.ts'

const LOST = 'people have to connect their accounts again'

/** The keys of the vault: a file of the state folder where state is kept, else in memory. Made when first needed. */
export function vaultKeys({ stateDir }: GatewayModel, isKept: boolean, log: Log): KeyFile {
  if (!isKept) return memoryKeys()
  const file = join(stateDir, 'vault.key')
  return {
    async load() {
      // A key that another user put there is known to them.
      refuseForeign(file)
      if ((readKeys(file) ?? []).length === 0) await keepKey(file, log, LOST)
      return readKeys(file) ?? []
    },
    save: (keys) => writeFileAtomic(file, `${keys.join('\n')}\n`, { mode: 0o600 }),
    create: newKey,
  }
}

function memoryKeys(): KeyFile {
  let keys: readonly string[] = [newKey()]
  return {
    load: async () => keys,
    save: async (next) => {
      keys = next
    },
    create: newKey,
  }
}
