import { createHash } from 'node:crypto'
import { jwtVerify, type JWTPayload } from 'jose'
import type { JsonObject } from '@gantry/mcp/exchange'
import type { SignInModel } from '../../model/index.ts'
import type { Rows, Store } from '../../store/index.ts'
import type { OidcContext, OidcModule, OidcProvider } from './oidc-provider.ts'
import { fittingClaims, type People } from './people.ts'
import { isOurs, resourceFacts } from './resource.ts'
import { CLOCK_TOLERANCE, type Upstream } from './upstream.ts'

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** How metadata says that this kind of assertion is redeemed here. */
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

const TYPE = 'oauth-id-jag+jwt'
/** An assertion is made for one immediate use. */
const MAX_AGE_SECONDS = 600
const MAX_LENGTH = 16_384

export interface AssertionOptions {
  readonly module: OidcModule
  readonly model: SignInModel
  readonly store: Store
  readonly people: People
  readonly upstream: Upstream
  log(level: 'info' | 'warn', message: string, facts?: Record<string, unknown>): void
}

/**
 * Enterprise-managed authorization, second half: the identity provider has decided that a client may act for a person,
 * and says so in an Identity Assertion JWT Authorization Grant (ID-JAG). It is redeemed for a short access token, once;
 * there is no consent page, and no refresh token. Only clients that prove who they are may do it.
 */
export class Assertions {
  readonly #options: AssertionOptions
  readonly #used: Rows
  /** The claims in the assertion of a request under way. */
  readonly #claims = new WeakMap<object, JsonObject>()

  constructor(options: AssertionOptions) {
    this.#options = options
    this.#used = options.store.rows({ name: 'sign-in-assertions', maxRows: 100_000, maxValueBytes: 64 })
  }

  /** The claims for the token that this request gets; undefined when it came with no assertion. */
  claimsOf(context: unknown): JsonObject | undefined {
    return this.#claims.get(context as object)
  }

  /** Offers the grant. */
  register(provider: OidcProvider): void {
    const parameters = ['assertion', 'scope', 'resource']
    provider.registerGrantType(JWT_BEARER, (context) => this.#redeem(provider, context), parameters)
  }

  async #redeem(provider: OidcProvider, context: OidcContext): Promise<void> {
    const { module, model, people } = this.#options
    const { client, params = {} } = context.oidc
    if (!client || client.clientAuthMethod === 'none') {
      throw new module.errors.UnauthorizedClient('only clients that authenticate can redeem an assertion')
    }
    const claims = await this.#verify(params.assertion ?? '', client.clientId)
    const indicator = params.resource ?? model.resource
    if (!isOurs(indicator, model)) throw new module.errors.InvalidTarget()
    const { kept } = fittingClaims(claims as JsonObject)
    this.#claims.set(context, { ...kept, gty: 'assertion' })
    const token = new provider.AccessToken({
      accountId: people.accountOf(claims.sub!),
      client,
      gty: JWT_BEARER,
      scope: this.#scopesOf(claims, params.scope).join(' '),
    })
    token.resourceServer = new provider.ResourceServer(indicator, resourceFacts(model))
    context.body = {
      access_token: await token.save(),
      expires_in: token.expiration,
      token_type: 'Bearer',
      scope: token.scope,
    }
  }

  /** An identity provider that names no scopes has allowed what every request needs, and nothing else. */
  #scopesOf({ scope }: JWTPayload, asked: string | undefined): string[] {
    const { scopes, allScopes } = this.#options.model
    const allowed = typeof scope === 'string' ? scope.split(' ') : scopes
    const wanted = asked?.split(' ') ?? allowed
    return allScopes.filter((one) => allowed.includes(one) && wanted.includes(one))
  }

  /** Callers learn that the assertion is not accepted; the log says why. */
  async #verify(assertion: string, clientId: string): Promise<JWTPayload> {
    const { module, log } = this.#options
    try {
      const claims = await this.#check(assertion, clientId)
      await this.#useUp(claims)
      return claims
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log('warn', 'An assertion was refused', { reason, client: clientId, event: 'assertion-refused' })
      throw new module.errors.InvalidGrant('the assertion is not accepted')
    }
  }

  async #check(assertion: string, clientId: string): Promise<JWTPayload> {
    const { model, upstream } = this.#options
    if (assertion.length > MAX_LENGTH) throw new Error('it is too long')
    const { payload } = await jwtVerify(assertion, await upstream.keys(), {
      typ: TYPE,
      issuer: model.issuer,
      audience: model.ownIssuer,
      requiredClaims: ['sub', 'jti', 'client_id', 'exp', 'iat'],
      clockTolerance: CLOCK_TOLERANCE,
      maxTokenAge: MAX_AGE_SECONDS,
    })
    if (payload.client_id !== clientId) throw new Error('it is for another client')
    // For two audiences it would be good at both.
    if (Array.isArray(payload.aud) && payload.aud.length > 1) throw new Error('it is for several audiences')
    const resources = [payload.resource ?? model.resource].flat()
    if (!resources.every((one) => typeof one === 'string' && isOurs(one, model))) {
      throw new Error('it is for another resource')
    }
    if (payload.sub === '') throw new Error('it names nobody')
    return payload
  }

  async #useUp({ jti, exp }: JWTPayload): Promise<void> {
    const key = createHash('sha256').update(String(jti)).digest('base64url')
    const ttl = Math.max(exp! * 1000 - Date.now(), 0) + 2 * CLOCK_TOLERANCE * 1000
    if ((await this.#used.swap(key, undefined, '', { ttl })) === undefined) {
      throw new Error('it was used already')
    }
  }
}
