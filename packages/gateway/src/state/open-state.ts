import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Sealer } from '@gantry/mcp/exchange'
import { refuseForeign, type GatewayModel } from '../model/index.ts'
import { keyFile, loadSealingKeys, readSealingKeys, type SealingKeys } from './sealing-keys.ts'
import {
  createMemoryStore,
  openEmbeddedStore,
  type Sealing,
  type Store,
  type StoreError,
} from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'

/** Files that the version before has left. */
const OLD_FILES = ['catalog', 'catalog-changes.json', 'tokens']

export interface State {
  readonly sealer: Sealer
  readonly store: Store
  /** The secrets that the gateways share; the first signs. */
  readonly keys: readonly string[]
  /** Whether the state folder can be used. */
  readonly isKept: boolean
}

/**
 * Keys and store of a gateway. When the state folder cannot be used, state ends with the process. A Redis that cannot
 * be reached is tried again while the gateway runs. A Redis that refuses us rejects.
 */
export async function openState(model: GatewayModel, log: Log): Promise<State> {
  let sealer = new Sealer(model.server.sealingKeys.map((key) => key.reveal()))
  try {
    // Another user would know, or choose, what is in such a folder.
    refuseForeign(keyFile(model))
    if (model.store.kind === 'embedded') refuseForeign(model.store.path)
    const keys = await loadSealingKeys(model, log)
    sealer = new Sealer(keys.sealing)
    const store = await openStore(model, keys, log)
    if (store.kind === 'redis') await checkShared(store)
    if (OLD_FILES.some((name) => existsSync(join(model.stateDir, name)))) {
      const { moveOldFiles } = await import('./old-files.ts')
      await moveOldFiles(model, store, log)
    }
    return { sealer, store, keys: keys.sealing, isKept: true }
  } catch (error) {
    // Replicas that share a store are not right without it.
    if (model.store.kind === 'redis') throw error
    const reason = error instanceof Error ? error.message : String(error)
    log(
      'warn',
      `State cannot be kept, so sessions, sign-ins of targets and last-known lists end with this process: ${reason}`,
      { event: 'state-not-kept' },
    )
    return { sealer, store: createMemoryStore(), keys: [], isKept: false }
  }
}

async function checkShared(store: Store): Promise<void> {
  const { checkSealing } = await import('./open-redis.ts')
  try {
    await checkSealing(store)
  } catch (error) {
    if ((error as StoreError).code === 'unavailable') return
    await store.close()
    throw error
  }
}

/** The store of a configuration, with the keys that there are. */
export function openStoreOf(model: GatewayModel): Promise<Store> {
  return openStore(model, readSealingKeys(model))
}

async function openStore({ store }: GatewayModel, keys: SealingKeys, log?: Log): Promise<Store> {
  if (store.kind === 'memory') return createMemoryStore()
  if (store.kind === 'redis') {
    const { openRedis } = await import('./open-redis.ts')
    return openRedis(store, storedSealing(keys), log)
  }
  return openEmbeddedStore({ ...store, sealing: storedSealing(keys) })
}

/** A key that was added since is found when something was sealed with it, for instance by another gateway. */
function storedSealing(keys: SealingKeys): Sealing {
  let sealer = new Sealer(keys.stored())
  return {
    seal: (text, binding) => sealer.seal(text, binding),
    async open(sealed, binding) {
      const opened = await sealer.open(sealed, binding)
      if (opened !== undefined) return opened
      sealer = new Sealer(keys.stored())
      return sealer.open(sealed, binding)
    },
  }
}
