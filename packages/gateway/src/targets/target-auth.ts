import { oauth, type OAuthProvider, type TokenStorage } from '@gantry/mcp/auth'
import { loopbackRedirect } from '@gantry/mcp/auth/node'
import { reveal, secretsIn, type OAuthModel, type UrlTarget } from '../model/index.ts'
import type { Store } from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'
import { tokenStorage } from './token-rows.ts'

/** Tokens of all targets are kept together. */
export function createTargetAuth(
  model: UrlTarget & { oauth: OAuthModel },
  { store, log, learnSecret }: { store: Store; log: Log; learnSecret: (value: string) => void },
): TargetAuth {
  const storage = tokenStorage(store, (error) =>
    log(
      'warn',
      `${model.name}: its sign-in cannot be read, so it has to be signed in again: ${String(error)}`,
      { target: model.name, event: 'tokens-unreadable' },
    ),
  )
  return new TargetAuth(model, {
    ...storage,
    async read(key) {
      const value = await storage.read(key)
      for (const secret of secretsIn(value)) learnSecret(secret)
      return value
    },
    write(key, value) {
      for (const secret of secretsIn(value)) learnSecret(secret)
      return storage.write(key, value)
    },
  })
}

export interface SignInOptions {
  /** Shows the page to the user. */
  open(url: string): void | Promise<void>
  signal?: AbortSignal | undefined
}

/**
 * The login of one URL target. The target waits as `needs-auth` until a person starts a sign-in, which all callers
 * share.
 */
export class TargetAuth {
  readonly provider: OAuthProvider
  readonly #viewers = new Set<SignInOptions['open']>()
  /** The sign-in page that is open now. */
  #page: string | undefined

  constructor(model: UrlTarget & { oauth: OAuthModel }, storage: TokenStorage) {
    const { clientId, clientSecret, privateKey, clientMetadataUrl, scopes, grant, callbackPort } = model.oauth
    const { tokenEndpointAuthMethod, trustedHosts } = model.oauth
    const redirect = loopbackRedirect({
      open: (url) => this.#show(url),
      ...(callbackPort !== undefined && { port: callbackPort }),
    })
    this.provider = oauth({
      serverUrl: reveal(model.url),
      grant,
      storage,
      trustedHosts,
      askUser: 'on-sign-in',
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret && { clientSecret: clientSecret.reveal() }),
      ...(privateKey && { privateKey: { key: privateKey.reveal() } }),
      ...(tokenEndpointAuthMethod && { tokenEndpointAuthMethod }),
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      ...(scopes.length > 0 && { scopes }),
      ...(grant === 'authorization_code' && { redirect }),
    })
  }

  async signIn({ open, signal }: SignInOptions): Promise<void> {
    this.#viewers.add(open)
    if (this.#page !== undefined) await open(this.#page)
    try {
      await this.provider.signIn(signal ? { signal } : {})
    } finally {
      this.#viewers.delete(open)
      if (this.#viewers.size === 0) this.#page = undefined
    }
  }

  async #show(url: string): Promise<void> {
    this.#page = url
    await Promise.all([...this.#viewers].map((open) => open(url)))
  }
}
