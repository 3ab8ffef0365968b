import * as oauth from 'oauth4webapi'
import type { AuthProvider } from '@gantry/mcp/auth'
import { McpError } from '@gantry/mcp/client'
import { principalKey, type Principal } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import { isLoopbackHost, type ExchangeModel } from '../../model/index.ts'

/** Whom an account is wanted for, and what the request brought along. */
export interface Caller {
  readonly principal: Principal
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
}

interface Exchanged {
  readonly token: string
  readonly gotAt: number
  readonly until: number
}

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const TIMEOUT = 15_000
/** Where the server does not say. */
const SHORT = 60_000
const FRESH = 10_000
const MOST_CALLERS = 10_000

/** Gets tokens of targets for the tokens of callers (RFC 8693). Nothing of it is kept beyond this process. */
export class TokenExchange {
  /** The newest token of each caller. */
  readonly #subjects = new Map<string, string>()
  readonly #learnSecret: (value: string) => void

  constructor({ learnSecret }: { learnSecret(this: void, value: string): void }) {
    this.#learnSecret = learnSecret
  }

  /** Remembers the token that a caller came with. False when it came with none: a key cannot be exchanged. */
  note({ principal, headers }: Caller): boolean {
    const token = /^(?:bearer|dpop) +(\S+)$/i.exec(headers?.authorization ?? '')?.[1]
    if (token === undefined || principal.kind === 'key') return false
    const key = principalKey(principal)
    this.#subjects.delete(key)
    this.#subjects.set(key, token)
    if (this.#subjects.size > MOST_CALLERS) this.#subjects.delete(this.#subjects.keys().next().value!)
    return true
  }

  /** Puts the exchanged token on requests. One that is refused is got anew, once. */
  provider(model: ExchangeModel, principal: Principal): AuthProvider {
    let current: Promise<Exchanged> | undefined
    const fresh = async (): Promise<Exchanged> => {
      const subject = this.#subjects.get(principalKey(principal))
      if (subject === undefined) throw new McpError('unauthorized', 'The caller has no token to exchange')
      const known = await current?.catch(() => undefined)
      if (known && known.until > Date.now()) return known
      const got = this.#exchange(model, subject)
      current = got
      return got
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

  async #exchange(model: ExchangeModel, subject: string): Promise<Exchanged> {
    const { tokenUrl, clientId, clientSecret, audience, scopes } = model
    const url = parseUrl(tokenUrl)
    const server: oauth.AuthorizationServer = { issuer: url?.origin ?? tokenUrl, token_endpoint: tokenUrl }
    const client: oauth.Client = { client_id: clientId }
    const secret = clientSecret?.reveal()
    const parameters = new URLSearchParams({
      subject_token: subject,
      subject_token_type: ACCESS_TOKEN,
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
      this.#learnSecret(answer.access_token)
      const life = answer.expires_in === undefined ? SHORT : answer.expires_in * 1000
      const gotAt = Date.now()
      return { token: answer.access_token, gotAt, until: gotAt + life * 0.9 }
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      throw new McpError('unauthorized', `The token of the caller could not be exchanged: ${reason}`)
    }
  }
}
