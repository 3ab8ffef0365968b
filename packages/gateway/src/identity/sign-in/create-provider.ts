import { createHash, randomBytes } from 'node:crypto'
import type { SignInModel } from '../../model/index.ts'
import type { Store } from '../../store/index.ts'
import { documentFetch } from './document-fetch.ts'
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
    fetch: documentFetch(model),
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
