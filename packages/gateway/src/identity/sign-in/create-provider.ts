import { createHash, randomBytes } from 'node:crypto'
import { isJsonObject } from '@gantry/mcp/exchange'
import { parseJson, parseUrl } from '@gantry/mcp/foreign'
import type { SignInModel } from '../../model/index.ts'
import type { Store } from '../../store/index.ts'
import { acceptMetadata } from './client-metadata.ts'
import type { OidcClient, OidcContext, OidcModule, OidcProvider } from './oidc-provider.ts'
import { problemPage } from './pages.ts'
import { type Assertions, ID_JAG_PROFILE, JWT_BEARER } from './id-jag.ts'
import type { People } from './people.ts'
import { isOurs, resourceFacts } from './resource.ts'
import type { SigningKeys } from './signing-keys.ts'
import { StoreAdapter } from './store-adapter.ts'
import { CLOCK_TOLERANCE } from './upstream.ts'

export interface ProviderParts {
  readonly module: OidcModule
  readonly keys: SigningKeys
  readonly people: People
  readonly assertions: Assertions
  readonly model: SignInModel
  readonly store: Store
}

const MINUTE = 60
const MAX_DOCUMENT = 64 * 1024

/** The protocol is oidc-provider's; this says what it may do, and where it keeps things. */
export function createProvider(parts: ProviderParts): OidcProvider {
  const { module, keys, model, store } = parts
  const { default: Provider, errors } = module
  const lifetime = Math.ceil(model.lifetime / 1000)
  const refuse = (): Error => new errors.InvalidGrant('it was used already')
  const provider = new Provider(model.ownIssuer, {
    adapter: (name: string) => new StoreAdapter(store, name, refuse),
    jwks: { keys: [keys.jwk] },
    // Names of our own: an identity provider on the same host may be an oidc-provider too, and ports share cookies.
    cookies: { keys: keys.cookieKeys, names: COOKIES },
    clients: model.clients.map(({ clientId, clientSecret, redirectUris, name }) => ({
      client_id: clientId,
      client_name: name,
      redirect_uris: [...redirectUris],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token', ...(clientSecret ? [JWT_BEARER] : [])],
      response_types: ['code'],
      ...(clientSecret
        ? { client_secret: clientSecret.reveal(), token_endpoint_auth_method: 'client_secret_basic' }
        : { token_endpoint_auth_method: 'none' }),
    })),
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    scopes: ['openid', 'offline_access', ...model.allScopes],
    pkce: { required: () => true },
    routes: ROUTES,
    ttl: {
      AccessToken: Math.ceil(model.accessTokenLifetime / 1000),
      AuthorizationCode: MINUTE,
      Grant: lifetime,
      IdToken: 10 * MINUTE,
      Interaction: 10 * MINUTE,
      RefreshToken: lifetime,
      Session: 60 * MINUTE,
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/oauth/sign-in/${uid}` },
    findAccount: (_: unknown, account: string) => accountOf(parts.people, account),
    extraTokenClaims: async (context: unknown, { accountId }: { accountId?: string }) =>
      parts.assertions.claimsOf(context) ??
      (accountId === undefined ? undefined : await parts.people.claimsOf(accountId)),
    discovery: { authorization_grant_profiles_supported: [ID_JAG_PROFILE] },
    issueRefreshToken: (_: unknown, client: OidcClient) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    clockTolerance: CLOCK_TOLERANCE,
    // Which pages may call at all is decided by `server.allowedOrigins`, before.
    clientBasedCORS: () => true,
    renderError,
    fetch: (url: string, init: RequestInit) => fetchDocument(url, init, model),
    features: featuresOf(parts),
  })
  // The request says which way it came by headers that we have set ourselves.
  provider.proxy = true
  parts.assertions.register(provider)
  return provider
}

const COOKIES = {
  session: 'gantry-oauth-session',
  interaction: 'gantry-oauth-interaction',
  resume: 'gantry-oauth-resume',
}

const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  userinfo: '/oauth/userinfo',
  end_session: '/oauth/end',
  pushed_authorization_request: '/oauth/par',
}

function featuresOf({ module: { errors }, model }: ProviderParts): object {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_: unknown, client: OidcClient, token: { clientId: string }) =>
        client.clientId === token.clientId,
    },
    dPoP: { enabled: true },
    pushedAuthorizationRequests: { enabled: false },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      idFactory: ({ oidc: { body = {} } }: OidcContext) => clientIdOf(body),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => model.resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_: unknown, indicator: string) => {
        if (!isOurs(indicator, model)) throw new errors.InvalidTarget()
        return resourceFacts(model)
      },
    },
  }
}

async function accountOf(people: People, account: string): Promise<object | undefined> {
  const claims = await people.claimsOf(account)
  return claims && { accountId: account, claims: () => ({ sub: account }) }
}

/** The same public client that registers again gets the same id: it costs nothing, and nothing piles up. */
function clientIdOf(metadata: Record<string, unknown>): string {
  if (metadata.token_endpoint_auth_method !== 'none') return randomBytes(16).toString('base64url')
  return createHash('sha256').update(JSON.stringify(metadata)).digest('base64url').slice(0, 32)
}

function renderError(ctx: OidcContext, out: { error: string; error_description?: string }): void {
  ctx.type = 'html'
  ctx.set('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
  ctx.body = problemPage(out.error_description ?? out.error, 'Go back to the application and sign in again.')
}

/**
 * Metadata documents of clients and their keys. oidc-provider has seen to it that the address is public and short
 * answers are read only; hosts that the configuration trusts may be private.
 */
async function fetchDocument(url: string, init: RequestInit, model: SignInModel): Promise<Response> {
  const target = parseUrl(url)
  const isTrusted =
    target !== undefined && model.trustedHosts.some((host) => [target.host, target.hostname].includes(host))
  const { dispatcher, ...others } = init as RequestInit & { dispatcher?: unknown }
  const response = await fetch(url, (isTrusted ? others : { ...others, dispatcher }) as RequestInit)
  if (response.status !== 200 || !/json/i.test(response.headers.get('content-type') ?? '')) return response
  const text = await readShort(response)
  const document = parseJson(text)
  if (!isJsonObject(document) || document.client_id !== url)
    return new Response(text, { headers: response.headers })
  const accepted = acceptMetadata(document, model.allScopes)
  if (!accepted) throw new Error('none of its redirect URIs can be accepted')
  // A document cannot hold a secret, so clients that say nothing have none.
  const method = accepted.token_endpoint_auth_method ?? 'none'
  return Response.json(
    { ...accepted, token_endpoint_auth_method: method, client_id: url },
    { headers: cacheOf(response) },
  )
}

/** A document is a few lines; a longer one is not read on. */
async function readShort(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_DOCUMENT) throw new Error(`it is longer than ${MAX_DOCUMENT} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function cacheOf({ headers }: Response): Record<string, string> {
  const cache = headers.get('cache-control')
  return cache === null ? {} : { 'cache-control': cache }
}
