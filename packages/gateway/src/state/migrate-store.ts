import { join } from 'node:path'
import type { GatewayModel } from '../model/index.ts'
import { scanAll, type ScannedRow, type Store } from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'
import { openStoreOf } from './open-state.ts'
import { vaultKeys, VAULT_KEYS } from './vault-keys.ts'

/** Tables that belong to one store and are not moved: leases, messages, and the keys that open its rows. */
const LEFT_BEHIND = new Set(['!leases', '!log', 'key-check', VAULT_KEYS])

export interface Migration {
  /** Rows that would be copied. */
  readonly rows: number
  /** Rows that no key opens. */
  readonly unreadable: readonly string[]
  /** Rows that are in the other place already. */
  readonly present: number
  /** Copies everything, and the keys of the vault. What is there under the same name is replaced. */
  copy(): Promise<void>
  close(): Promise<void>
}

/** Copies between the file and Redis of one configuration. Rows stay sealed as they are. */
export async function prepareMigration(
  model: GatewayModel,
  { to: target, path }: { to: 'redis' | 'embedded'; path?: string | undefined },
  log: Log,
): Promise<Migration> {
  const { maxBytes } = model.store as { maxBytes: number }
  const file = path ?? join(model.stateDir, 'store.mdb')
  const embedded: GatewayModel = { ...model, store: { kind: 'embedded', path: file, maxBytes } }
  const [fromModel, toModel] = target === 'redis' ? [embedded, model] : [model, embedded]
  const from = await openStoreOf(fromModel)
  const to = await openStoreOf(toModel).catch(async (error) => {
    await from.close()
    throw error
  })
  const close = async (): Promise<void> => {
    await from.close()
    await to.close()
  }
  const found = await lookInto(from, to).catch(async (error) => {
    await close()
    throw error
  })
  return {
    ...found,
    async copy() {
      for await (const row of rowsToMove(from)) await to.restore(row)
      const keys = (store: Store) => vaultKeys(model, { isKept: true, store }, log)
      const [old, kept] = [await keys(from).peek(), await keys(to).peek()]
      if (old.length > 0) await keys(to).save([...new Set([...old, ...kept])])
    },
    close,
  }
}

async function lookInto(from: Store, to: Store): Promise<Pick<Migration, 'rows' | 'unreadable' | 'present'>> {
  const unreadable: string[] = []
  let rows = 0
  let present = 0
  for await (const row of rowsToMove(from)) {
    rows += 1
    await from.reveal(row).catch(() => unreadable.push(`${row.table} ${row.key}`))
  }
  for await (const _ of rowsToMove(to)) present += 1
  return { rows, unreadable, present }
}

async function* rowsToMove(store: Store): AsyncGenerator<ScannedRow> {
  for await (const row of scanAll(store)) {
    const isOver = row.expires !== undefined && row.expires <= Date.now()
    if (!isOver && !LEFT_BEHIND.has(row.table)) yield row
  }
}
