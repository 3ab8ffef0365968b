import { oauth, type OAuthProvider, type Redirect } from '@gantry/mcp/auth'
import { principalKey, type Principal } from '@gantry/mcp/exchange'
import { reveal, type ExchangeModel, type TargetModel, type UrlTarget } from '../../model/index.ts'
import type { OnConsent } from '../consent.ts'
import { personalStorage } from './personal-storage.ts'
import { placeOf, samePlace } from './place-of.ts'
import { TokenExchange, type Caller, type IdTokenOf, type TokenExchangeOptions } from './token-exchange.ts'
import { assertionLogin, clientOf } from './assertion-login.ts'
import { ConsentLinks } from './consent-links.ts'
import type { Place, Vault } from './vault.ts'

export interface Personal {
  readonly values?: Readonly<Record<string, string>> | undefined
  readonly auth?: Pick<OAuthProvider, 'authorize' | 'onUnauthorized'> | undefined
}

type Change = Pick<Place, 'principal' | 'target'>

const MOST_PROVIDERS = 5000

/** The accounts of people at targets, as connections need them. */
export class Accounts {
  readonly vault: Vault
  /** How browsers reach the gateway; known when it listens. */
  address = ''
  idTokenOf: IdTokenOf = async () => undefined
  onConsent: OnConsent = () => {}
  readonly #providers = new Map<string, OAuthProvider>()
  readonly links: ConsentLinks
  readonly #waiting = new Map<string, Set<() => void>>()
  #exchange: TokenExchange | undefined

  constructor(vault: Vault) {
    this.vault = vault
    this.links = new ConsentLinks(vault.store)
  }

  /**
   * Follows the changes of other processes. `dropped` gets the change whose connections have to end; undefined: all.
   */
  follow(dropped: (change: Change | undefined) => void): Promise<() => void> {
    return this.vault.follow((change) => {
      this.#drop(change === 'missed' ? undefined : change)
      dropped(change === 'missed' ? undefined : change)
      for (const [key, waiting] of this.#waiting) {
        if (change === 'missed' || key === changeKey(change)) for (const resolve of [...waiting]) resolve()
      }
    })
  }

  async link(principal: Principal, target: string): Promise<string> {
    return `${this.address}/connect/go/${await this.links.create(principal, target)}`
  }

  /** Resolves when the account of a person at a target has changed or may have, and when the signal says so. */
  changed(principal: Principal, target: string, signal: AbortSignal): Promise<void> {
    const key = changeKey({ principal, target })
    const waiting = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, waiting)
    return new Promise((resolve) => {
      const done = (): void => {
        waiting.delete(done)
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key)
        signal.removeEventListener('abort', done)
        resolve()
      }
      waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
      if (signal.aborted) done()
    })
  }

  /** Whether a call can be made without asking the person first. */
  async has(model: TargetModel, caller: Caller): Promise<boolean> {
    const { credentials } = model
    if (credentials.kind === 'exchange') return this.#exchanging.has(credentials, caller)
    return this.vault.has(placeOf(model, caller.principal))
  }

  /** The credentials for a connection of this caller; undefined when it has no account there. */
  async open(model: TargetModel, caller: Caller): Promise<Personal | undefined> {
    const { credentials } = model
    const place = placeOf(model, caller.principal)
    if (credentials.kind === 'exchange') {
      const exchange = this.#exchanging
      if (!(await exchange.has(credentials, caller))) return undefined
      if (credentials.by === 'token') return { auth: exchange.provider(credentials, caller.principal) }
      return { auth: await this.#once(place, () => this.#asserted(model as UrlTarget, credentials, place)) }
    }
    const found = await this.vault.get(place)
    if (!found) return undefined
    await this.vault.used(place)
    if (found.entry.values) return { values: found.entry.values }
    return { auth: await this.#once(place, () => this.#login(model as UrlTarget, place)) }
  }

  /** Keeps what a person has pasted. */
  async paste(model: TargetModel, principal: Principal, values: Record<string, string>): Promise<void> {
    const place = placeOf(model, principal)
    await this.vault.put({ ...place, connectedAt: Date.now(), values })
    await this.#changed(place)
    this.onConsent({ principal, answer: 'given', target: place.target })
  }

  /** Logs a person in at the target's authorization server; `redirect` takes them there and back. */
  async signIn(
    model: TargetModel,
    principal: Principal,
    redirect: Redirect,
    signal: AbortSignal,
  ): Promise<void> {
    const place = placeOf(model, principal)
    const provider = await this.#login(model as UrlTarget, place, redirect)
    await provider.signIn({ signal })
    await this.#changed(place)
    this.onConsent({ principal, answer: 'given', target: place.target })
  }

  /** Ends an account: its tokens are revoked where the server can do that, and forgotten in any case. */
  async disconnect(row: Place, model: TargetModel | undefined): Promise<boolean> {
    const found = await this.vault.get(row)
    const isThere = model && samePlace(row, placeOf(model, row.principal))
    if (found?.entry.tokens && isThere) {
      await (await this.#login(model as UrlTarget, row)).signOut().catch(() => {})
    }
    const removed = await this.vault.remove(row)
    await this.#changed(row)
    const wasThere = removed || found !== undefined
    if (wasThere) this.onConsent({ principal: row.principal, answer: 'withdrawn', target: row.target })
    return wasThere
  }

  /** Forgets what this process knows of an account that has changed. */
  #drop(change: Change | undefined): void {
    if (!change) return this.#providers.clear()
    const prefix = `${changeKey(change)} `
    for (const key of this.#providers.keys()) if (key.startsWith(prefix)) this.#providers.delete(key)
  }

  async #changed(place: Place): Promise<void> {
    this.#drop(place)
    await this.vault.announce(place)
  }

  /** Each account has one provider, which renews the token for all its connections. */
  async #once(place: Place, open: () => Promise<OAuthProvider>): Promise<OAuthProvider> {
    const key = `${changeKey(place)} ${place.server}`
    const known = this.#providers.get(key)
    if (known) return known
    const provider = await open()
    if (this.#providers.size >= MOST_PROVIDERS) this.#providers.delete(this.#providers.keys().next().value!)
    this.#providers.set(key, provider)
    return provider
  }

  async #login(
    { url, oauth: settings }: UrlTarget,
    place: Place,
    redirect?: Redirect,
  ): Promise<OAuthProvider> {
    const clientMetadataUrl = settings!.clientMetadataUrl ?? this.#ownDocument()
    return oauth({
      ...clientOf(settings!),
      serverUrl: reveal(url),
      storage: personalStorage(this.vault, place),
      account: principalKey(place.principal),
      askUser: 'on-sign-in',
      clientMetadata: { client_name: 'Gantry', application_type: 'web' },
      ...(redirect && { redirect }),
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    })
  }

  async #asserted(
    model: UrlTarget,
    credentials: ExchangeModel,
    { principal }: Place,
  ): Promise<OAuthProvider> {
    return assertionLogin(model, credentials, { principal, ...this.#exchangeOptions() })
  }

  #exchangeOptions(): TokenExchangeOptions {
    return { idTokenOf: (principal) => this.idTokenOf(principal), learnSecret: this.vault.learnSecret }
  }

  /** Authorization servers fetch it, so it has to be at an address that they reach. */
  #ownDocument(): string | undefined {
    return this.address.startsWith('https://') ? `${this.address}${CLIENT_DOCUMENT}` : undefined
  }

  get #exchanging(): TokenExchange {
    this.#exchange ??= new TokenExchange(this.#exchangeOptions())
    return this.#exchange
  }
}

function changeKey({ principal, target }: Change): string {
  return JSON.stringify([principalKey(principal), target])
}

/** Where the gateway's own client metadata document is. */
export const CLIENT_DOCUMENT = '/connect/client.json'
/** Where authorization servers send people back to. */
export const CALLBACK = '/connect/callback'
