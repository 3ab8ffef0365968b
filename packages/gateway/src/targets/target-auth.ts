import { join } from 'node:path'
import { oauth, type OAuthProvider, type Redirect, type TokenStorage } from '@gantry/mcp/auth'
import { fileStorage, loopbackRedirect } from '@gantry/mcp/auth/node'
import { McpError } from '@gantry/mcp/client'
import { reveal, type OAuthModel, type UrlTarget } from '../model/index.ts'

/** Tokens of all targets are kept together, encrypted, in the gateway's own folder. */
export function createTargetAuth(model: UrlTarget & { oauth: OAuthModel }, stateDir: string): TargetAuth {
  return new TargetAuth(model, fileStorage({ path: join(stateDir, 'tokens') }))
}

export interface SignInOptions {
  /** Shows the page to the user; without it the browser on this machine is opened. */
  open?: ((url: string) => void | Promise<void>) | undefined
  signal?: AbortSignal | undefined
}

/**
 * The login of one URL target. Nobody is sent to a sign-in page by a request that happens to need one: that
 * waits, as `needs-auth`, until somebody starts it.
 */
export class TargetAuth {
  readonly provider: OAuthProvider
  readonly #port: number | undefined
  #signingIn: { redirect: Redirect } | undefined

  constructor(model: UrlTarget & { oauth: OAuthModel }, storage: TokenStorage) {
    const { clientId, clientSecret, privateKey, clientMetadataUrl, scopes, grant, callbackPort } = model.oauth
    this.#port = callbackPort
    this.provider = oauth({
      serverUrl: reveal(model.url),
      grant,
      storage,
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret && { clientSecret: clientSecret.reveal() }),
      ...(privateKey && { privateKey: { key: privateKey.reveal() } }),
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      ...(scopes.length > 0 && { scopes }),
      ...(grant === 'authorization_code' && { redirect: this.#gate() }),
    })
  }

  async signIn({ open, signal }: SignInOptions = {}): Promise<void> {
    const redirect = loopbackRedirect({
      ...(this.#port !== undefined && { port: this.#port }),
      ...(open && { open }),
    })
    this.#signingIn = { redirect }
    try {
      await this.provider.signIn(signal ? { signal } : {})
    } finally {
      this.#signingIn = undefined
      await redirect.close?.()
    }
  }

  /** Leads to the sign-in under way, and nowhere while there is none. */
  #gate(): Redirect {
    const current = (): Redirect => {
      if (this.#signingIn) return this.#signingIn.redirect
      throw new McpError('oauth', 'A user must sign in', { details: { check: 'login_required' } })
    }
    return {
      uri: () => (current().uri as () => Promise<string>)(),
      open: (url) => current().open(url),
      waitForCode: (expected) => current().waitForCode(expected),
      close: () => this.#signingIn?.redirect.close?.(),
    }
  }
}
