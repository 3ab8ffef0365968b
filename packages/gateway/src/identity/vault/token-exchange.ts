import * as oauth from 'oauth4webapi'
import type { AuthProvider } from '@gantry/mcp/auth'
import { McpError } from '@gantry/mcp/client'
import { principalKey, type Principal } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import { isLoopbackHost, type ExchangeModel } from '../../model/index.ts'

/** The principal that needs an account, and the facts of its request. */
export interface Caller {
  readonly principal: Principal
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
}

/** The ID token of a person who has signed in; undefined when the sign-in has ended. */
export type IdTokenOf = (principal: Principal) => Promise<string | undefined>

export interface TokenExchangeOptions {
  readonly idTokenOf: IdTokenOf
  /** Told of every secret, so that no text shows it. */
  learnSecret(this: void, value: string): void
}

interface Exchanged {
  readonly token: string
  readonly gotAt: number
  readonly until: number
}

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'
const TIMEOUT = 15_000
/** Where the server does not say. */
const SHORT = 60_000
const FRESH = 10_000
const MOST_CALLERS = 10_000

/** Exchanges the callers' tokens for tokens of targets (RFC 8693). Keeps nothing beyond this process. */
export class TokenExchange {
  /** The newest token of each caller. */
  readonly #subjects = new Map<string, string>()
  readonly #options: TokenExchangeOptions

  constructor(options: TokenExchangeOptions) {
    this.#options = options
  }

  /** Whether a caller has what is exchanged: a key cannot be. */
  async has({ subject }: ExchangeModel, caller: Caller): Promise<boolean> {
    // The newest token of the caller counts, so it is noted with every call.
    if (subject === 'access-token') return this.#note(caller)
    return (await this.#options.idTokenOf(caller.principal)) !== undefined
  }

  #note({ principal, headers }: Caller): boolean {
    const token = /^(?:bearer|dpop) +(\S+)$/i.exec(headers?.authorization ?? '')?.[1]
    if (token === undefined || principal.kind === 'key') return false
    const key = principalKey(principal)
    this.#subjects.delete(key)
    this.#subjects.set(key, token)
    if (this.#subjects.size > MOST_CALLERS) this.#subjects.delete(this.#subjects.keys().next().value!)
    return true
  }

  /** Puts the exchanged token on requests. When a token is refused, gets a new token, once. */
  provider(model: ExchangeModel, principal: Principal): AuthProvider {
    let current: Promise<Exchanged> | undefined
    const fresh = async (): Promise<Exchanged> => {
      const seen = current
      const known = await seen?.catch(() => undefined)
      if (known && known.until > Date.now()) return known
      // Meanwhile another request has begun to get a token.
      if (current !== seen) return fresh()
      current = this.#exchange(model, principal)
      return current
    }
    return {
      async authorize({ headers }) {
        headers.set('authorization', `Bearer ${(await fresh()).token}`)
      },
      async onUnauthorized(response, { headers }) {
        if (response.status !== 401 || !current) return false
        const { token, gotAt } = await current
        if (headers?.get('authorization') !== `Bearer ${token}`) return true
        current = undefined
        // A fresh token that is refused at once will not be accepted the next time.
        return Date.now() - gotAt > FRESH
      },
    }
  }

  async #subjectOf({ subject }: ExchangeModel, principal: Principal): Promise<string> {
    const token =
      subject === 'access-token'
        ? this.#subjects.get(principalKey(principal))
        : await this.#options.idTokenOf(principal)
    if (token === undefined) throw new McpError('unauthorized', 'The caller has no token to exchange')
    this.#options.learnSecret(token)
    return token
  }

  async #exchange(model: ExchangeModel, principal: Principal): Promise<Exchanged> {
    const subject = await this.#subjectOf(model, principal)
    const { tokenUrl, clientId, clientSecret, audience, scopes } = model
    const url = parseUrl(tokenUrl)
    const server: oauth.AuthorizationServer = { issuer: url?.origin ?? tokenUrl, token_endpoint: tokenUrl }
    const client: oauth.Client = { client_id: clientId }
    const secret = clientSecret?.reveal()
    const parameters = new URLSearchParams({
      subject_token: subject,
      subject_token_type: model.subject === 'id-token' ? ID_TOKEN : ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
      ...(audience !== undefined && { audience }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    })
    try {
      const response = await oauth.genericTokenEndpointRequest(
        server,
        client,
        secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret),
        GRANT,
        parameters,
        {
          signal: AbortSignal.timeout(TIMEOUT),
          [oauth.allowInsecureRequests]: isLoopbackHost(url?.hostname ?? ''),
        },
      )
      const answer = await oauth.processGenericTokenEndpointResponse(server, client, response)
      this.#options.learnSecret(answer.access_token)
      const life = answer.expires_in === undefined ? SHORT : answer.expires_in * 1000
      const gotAt = Date.now()
      return { token: answer.access_token, gotAt, until: gotAt + life * 0.9 }
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      throw new McpError('unauthorized', `The token of the caller could not be exchanged: ${reason}`)
    }
  }
}
