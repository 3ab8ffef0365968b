import { suggest, type GatewayModel } from '../../model/index.ts'
import { isExpired, KEY_NAME, type KeptKey, type KeptKeys, type NewKey } from './kept-keys.ts'

/** A key as operators see it. */
export interface ListedKey {
  readonly name: string
  /** Keys of the configuration are changed in its file. */
  readonly from: 'configuration' | 'store'
  readonly scopes: readonly string[]
  /** Endpoints that it opens; empty: all. */
  readonly views: readonly string[]
  readonly state: 'active' | 'expired' | 'not-accepted'
  readonly createdAt?: number
  readonly expiresAt?: number
  /** Within a minute. */
  readonly lastUsedAt?: number
}

export type KeyProblemCode = 'invalid' | 'conflict' | 'not_found'

/** Why a key cannot be made or revoked, and what to do. */
export class KeyProblem extends Error {
  readonly code: KeyProblemCode
  readonly fix: string

  constructor(code: KeyProblemCode, message: string, fix: string) {
    super(message)
    this.name = 'KeyProblem'
    this.code = code
    this.fix = fix
  }
}

/** The keys that operators make, list and revoke, in the console or by a command. */
export class ManagedKeys {
  readonly #keys: KeptKeys
  readonly #model: () => GatewayModel

  constructor(keys: KeptKeys, model: () => GatewayModel) {
    this.#keys = keys
    this.#model = model
  }

  /** Whether the configuration accepts keys of the store. */
  get isAccepting(): boolean {
    return this.#model().auth.keys
  }

  async list(): Promise<ListedKey[]> {
    const { apiKeys } = this.#model().auth
    const configured = apiKeys.map(
      ({ name, scopes }): ListedKey => ({ name, from: 'configuration', scopes, views: [], state: 'active' }),
    )
    const [kept, uses] = await Promise.all([this.#keys.list(), this.#keys.lastUses()])
    return [...configured, ...kept.map((key) => this.#present(key, uses.get(key.name)))]
  }

  /** `key` is what opens the door; it is known this once. */
  async add(wanted: NewKey): Promise<{ key: string; listed: ListedKey }> {
    this.#check(wanted)
    const key = await this.#keys.add(wanted)
    if (key === undefined) throw taken(wanted.name, 'Revoke it first, or choose another name.')
    return { key, listed: this.#present((await this.#keys.get(wanted.name))!, undefined) }
  }

  async revoke(name: string): Promise<void> {
    if (await this.#keys.revoke(name)) return
    if (this.#isConfigured(name)) {
      throw new KeyProblem('conflict', `"${name}" is a key of the configuration`, 'Remove it there.')
    }
    throw new KeyProblem('not_found', `There is no key "${name}"`, '"gantry keys list" shows them all.')
  }

  #check({ name, views = [], scopes = [], expiresAt }: NewKey): void {
    if (!KEY_NAME.test(name)) {
      const fix =
        'Use letters, digits, dots, dashes and underscores, 64 at most, and a letter or digit first.'
      throw new KeyProblem('invalid', `"${name}" cannot be the name of a key`, fix)
    }
    if (this.#isConfigured(name)) throw taken(name, 'The configuration has it: choose another name.')
    if (scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
      throw new KeyProblem('invalid', 'A scope is a word without spaces and quotes', 'Name them one by one.')
    }
    if (expiresAt !== undefined && expiresAt <= Date.now()) {
      throw new KeyProblem('invalid', 'The key would have expired already', 'Choose a time to come.')
    }
    const model = this.#model()
    const known = [...model.views, ...model.targets].map((one) => one.name)
    const unknown = views.find((view) => !known.includes(view))
    if (unknown === undefined) return
    const close = suggest(unknown, known)
    const fix = close ? `Did you mean "${close}"?` : `Known: ${known.join(', ') || 'none'}.`
    throw new KeyProblem('invalid', `No view or target is called "${unknown}"`, fix)
  }

  #isConfigured(name: string): boolean {
    return this.#model().auth.apiKeys.some((key) => key.name === name)
  }

  #present(key: KeptKey, lastUsedAt: number | undefined): ListedKey {
    const { name, scopes, views, createdAt, expiresAt } = key
    const isAccepted = this.isAccepting && !this.#isConfigured(name)
    return {
      name,
      from: 'store',
      scopes,
      views,
      state: isExpired(key) ? 'expired' : isAccepted ? 'active' : 'not-accepted',
      createdAt,
      ...(expiresAt !== undefined && { expiresAt }),
      ...(lastUsedAt !== undefined && { lastUsedAt }),
    }
  }
}

function taken(name: string, fix: string): KeyProblem {
  return new KeyProblem('conflict', `There is a key "${name}" already`, fix)
}
