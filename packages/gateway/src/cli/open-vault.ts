import type { Accounts } from '../identity/vault/accounts.ts'
import type { GatewayModel } from '../model/index.ts'
import { noConfig } from './accept-config.ts'
import type { Cli } from './cli.ts'
import { CliError } from './cli-error.ts'
import { loadTrusted } from './load-trusted.ts'

/** The accounts of people in the store of this configuration. Gateways that run with it hear of changes at once. */
export async function withVault<T>(
  cli: Cli,
  work: (accounts: Accounts, model: GatewayModel) => Promise<T>,
): Promise<T> {
  const config = await loadTrusted(cli)
  if (!config) throw noConfig(cli.io.places)
  const { model } = config.loaded
  if (model.store.kind === 'memory') {
    throw new CliError('This configuration keeps its state in memory, and accounts with it', {
      fix: 'Remove "store.kind" to keep accounts in a file',
    })
  }
  const [{ openState }, { vaultKeys }, { LazyAccounts }] = await Promise.all([
    import('../state/open-state.ts'),
    import('../state/vault-keys.ts'),
    import('../identity/vault/lazy-accounts.ts'),
  ])
  const said: string[] = []
  const log = (_: unknown, message: string): void => void said.push(message)
  const state = await openState(model, log)
  const { store, isKept } = state
  const lazy = new LazyAccounts({
    store,
    keys: vaultKeys(model, state, log),
    learnSecret: () => {},
    log,
    dropped: () => {},
  })
  try {
    if (!isKept) throw new CliError(said.at(-1) ?? 'The store cannot be used')
    return await work(await lazy.get(), model)
  } finally {
    await lazy.close()
    await store.close()
  }
}
