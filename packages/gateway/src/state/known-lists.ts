import { statSync } from 'node:fs'
import { CatalogStore } from '../catalog/catalog-store.ts'
import type { Snapshot } from '../catalog/fetch-lists.ts'
import { isOwn, type GatewayModel } from '../model/index.ts'
import { openStoreOf } from './open-state.ts'

/** The lists that a gateway with this configuration knew last, without asking any target. */
export async function knownLists(model: GatewayModel): Promise<(Snapshot & { readonly target: string })[]> {
  // A command that only looks at a configuration makes no connections.
  if (model.store.kind !== 'embedded' || !isOurs(model.store.path)) return []
  const store = await openStoreOf(model)
  try {
    const kept = new CatalogStore(store, () => {})
    const lists = model.targets.map(async ({ name }) => {
      const row = await kept.read(name)
      return row && 'snapshot' in row ? [{ ...row.snapshot, target: name }] : []
    })
    return (await Promise.all(lists)).flat()
  } finally {
    await store.close()
  }
}

/** A gateway of this user made it. A file that came with a configuration from elsewhere is not opened. */
function isOurs(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (!facts?.isFile() || !isOwn(facts.uid)) return false
  return process.platform === 'win32' || (facts.mode & 0o077) === 0
}
