import { loadConfig } from '../config/index.ts'
import type { Accounts } from '../identity/vault/accounts.ts'
import { LazyAccounts } from '../identity/vault/lazy-accounts.ts'
import type { GatewayModel } from '../model/index.ts'
import { openState } from '../state/open-state.ts'
import { vaultKeys } from '../state/vault-keys.ts'

/** The accounts in the store of a configuration, as a gateway has them. */
export async function testAccounts(
  file: string,
  work: (accounts: Accounts, model: GatewayModel) => Promise<void>,
): Promise<void> {
  const loaded = await loadConfig(file, {})
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const { model } = loaded
  const state = await openState(model, () => {})
  const { store } = state
  const keys = vaultKeys(model, state, () => {})
  const lazy = new LazyAccounts({ store, keys, learnSecret: () => {}, log: () => {}, dropped: () => {} })
  await work(await lazy.get(), model)
  await lazy.close()
  await store.close()
}
