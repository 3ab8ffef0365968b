import type { Principal } from '@gantry/mcp/exchange'
import type { TargetModel } from '../../model/index.ts'
import type { OnConsent } from '../consent.ts'
import type { Accounts } from './accounts.ts'
import type { IdTokenOf } from './token-exchange.ts'
import type { KeyFile } from './key-ring.ts'
import type { VaultOptions } from './vault.ts'

export interface LazyAccountsOptions extends Omit<VaultOptions, 'ring'> {
  readonly keys: KeyFile
  /** Called with the change whose connections have to end; undefined: the connections of all people. */
  dropped(this: void, change: Parameters<Parameters<Accounts['follow']>[0]>[0]): void
}

/** The accounts of people, loaded by the first request that needs an account. */
export class LazyAccounts {
  /** How browsers reach the gateway. */
  address = ''
  /** What the identity provider says of a person who has signed in. */
  idTokenOf: IdTokenOf = async () => undefined
  /** Told of accounts that people connect and disconnect. */
  onConsent: OnConsent = () => {}
  readonly #options: LazyAccountsOptions
  #loaded: Promise<{ accounts: Accounts; unfollow: () => void }> | undefined

  constructor(options: LazyAccountsOptions) {
    this.#options = options
  }

  async get(): Promise<Accounts> {
    this.#loaded ??= this.#load()
    const loaded = this.#loaded
    // The next caller tries again.
    const { accounts } = await loaded.catch((error: unknown) => {
      if (this.#loaded === loaded) this.#loaded = undefined
      throw error
    })
    accounts.address = this.address
    accounts.idTokenOf = this.idTokenOf
    accounts.onConsent = this.onConsent
    return accounts
  }

  readonly has: Accounts['has'] = async (...given) => (await this.get()).has(...given)
  readonly open: Accounts['open'] = async (...given) => (await this.get()).open(...given)
  readonly link: Accounts['link'] = async (...given) => (await this.get()).link(...given)
  readonly changed: Accounts['changed'] = async (...given) => (await this.get()).changed(...given)

  /**
   * The targets, out of these, at which a person has connected an account. Nothing is loaded when there are no
   * accounts.
   */
  async listFor(
    principal: Principal,
    targets: readonly TargetModel[],
  ): Promise<{ target: string; title: string; isConnected: boolean }[]> {
    const accounts = targets.length > 0 ? await this.get() : undefined
    return Promise.all(
      targets.map(async (model) => ({
        target: model.name,
        title: model.title ?? model.name,
        isConnected: (await accounts?.has(model, { principal })) === true,
      })),
    )
  }

  async close(): Promise<void> {
    const loaded = await this.#loaded?.catch(() => undefined)
    loaded?.unfollow()
  }

  async #load(): Promise<{ accounts: Accounts; unfollow: () => void }> {
    const [{ Accounts: Loaded }, { Vault }, { KeyRing }] = await Promise.all([
      import('./accounts.ts'),
      import('./vault.ts'),
      import('./key-ring.ts'),
    ])
    const { keys, dropped, ...options } = this.#options
    const accounts = new Loaded(new Vault({ ...options, ring: new KeyRing(keys) }))
    return { accounts, unfollow: await accounts.follow(dropped) }
  }
}
