import { type Duration, type FormsOf, parseUrl, requireKnownOptions } from '../protocol/index.ts'
import type { SigningKey } from './grants/client-authentication.ts'
import type { TokenAuthMethod } from './tokens/client-information.ts'
import { oauthError } from './http/oauth-error.ts'
import type { Fetch } from './http/reach-fetch.ts'
import type { OnStep } from './http/oauth-step.ts'
import type { TokenStorage } from './tokens/token-storage.ts'

/** The parameters with which the authorization server sent the user back. */
export type AuthorizationResponse =
  | URLSearchParams
  | {
      code?: string | null | undefined
      state?: string | null | undefined
      iss?: string | null | undefined
      error?: string | null | undefined
      error_description?: string | null | undefined
    }

/** How the user is sent to the authorization server and how the answer comes back. */
export interface Redirect {
  /** Where the user returns to: HTTPS or loopback. A function gets the registered URI, to use it again. */
  readonly uri: string | ((registered?: string) => string | Promise<string>)
  /** Shows the page to the user; resolves when that is on its way, or when the user is back. */
  open(url: string): Promise<void> | void
  /** Resolves with the answer. Called once after `open`; may be settled already. */
  waitForCode(expected: {
    state: string
    signal: AbortSignal
  }): Promise<AuthorizationResponse> | AuthorizationResponse
  /** Releases what `uri` or `open` took; always called at the end, with the error when the sign-in failed. */
  close?(failure?: unknown): Promise<void> | void
}

/** Client metadata of RFC 7591 for Dynamic Client Registration; unknown members are sent as they are. */
export interface ClientMetadata {
  client_name?: string
  client_uri?: string
  logo_uri?: string
  scope?: string
  contacts?: string[]
  application_type?: 'native' | 'web'
  token_endpoint_auth_method?: string
  [member: string]: unknown
}

/** A value, or a function that gets it when it is needed. */
export type Secret = string | ((context: SecretContext) => string | Promise<string>)

export interface SecretContext {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly resource: string | undefined
}

/** The identity provider of enterprise-managed authorization. */
export interface IdentityProvider {
  readonly tokenEndpoint: string
  readonly clientId: string
  readonly clientSecret?: string
  /** The user's ID token from the single sign-on. */
  readonly idToken: Secret
}

export type OAuthGrant =
  /** A user signs in, in a browser. */
  | 'authorization_code'
  /** The client acts for itself, with its secret or key. */
  | 'client_credentials'
  /** The same, and it must be with `privateKey`. */
  | 'private_key_jwt'
  /** Workload identity: an assertion of the platform is exchanged (RFC 7523). */
  | { readonly type: 'jwt-bearer'; readonly assertion: Secret }
  /** Enterprise-managed: ID token → ID-JAG at the identity provider → access token. */
  | { readonly type: 'enterprise'; readonly idp: IdentityProvider }

export interface OAuthOptions {
  /** The MCP server. Default: the URL of the first request. */
  serverUrl?: string | URL
  /** Default: `authorization_code`. */
  grant?: OAuthGrant
  /** Needed for `authorization_code`; without it a needed sign-in fails with `login_required`. */
  redirect?: Redirect
  /** `when-needed` (default): a refused request asks the user. `on-sign-in`: only `signIn()` does. */
  askUser?: 'when-needed' | 'on-sign-in'
  clientId?: string
  clientSecret?: string
  privateKey?: SigningKey
  /** How the client authenticates at the token endpoint. Default: the best that the server announces. */
  tokenEndpointAuthMethod?: TokenAuthMethod
  /** The authorization server that the client is registered with. Default: the first one that is met. */
  issuer?: string
  /** A Client ID Metadata Document: the HTTPS URL that is our `client_id` wherever that is supported. */
  clientMetadataUrl?: string
  clientMetadata?: ClientMetadata
  /** Scopes that are always asked for. Default: what the challenge or the resource metadata says. */
  scopes?: readonly string[]
  /** Ask for `offline_access` where it is announced. Default: true. */
  offlineAccess?: boolean
  /** `auto` (default): bind tokens when both servers support it. True: take bound tokens only. */
  dpop?: boolean | 'auto'
  /** Default: memory. */
  storage?: TokenStorage
  /** The owner of the tokens, when one storage serves several users. */
  account?: string
  fetch?: Fetch
  /** Traces what is done, for logs and consoles. */
  onStep?: OnStep
  /** The time limit of one document or token request. Default: 15 s. */
  timeout?: Duration
  /** For the user's sign-in. Default: 5 minutes. */
  signInTimeout?: Duration
  /** Largest document that is read. Default: 262 144. */
  maxDocumentBytes?: number
  /** Authorizations in a row whose tokens are refused at once before giving up. Default: 3. */
  maxAttempts?: number
  /** Hosts that may be reached by plain HTTP or on private addresses. */
  trustedHosts?: readonly string[]
  /** Authorization servers that publish another issuer than the name under which they are known: known → published. */
  issuerAliases?: Readonly<Record<string, string>>
  /** Chooses among several authorization servers. Default: a server that we know already, else the first. */
  selectIssuer?: (issuers: readonly string[]) => string | Promise<string>
}

const GRANTS = ['authorization_code', 'client_credentials', 'private_key_jwt']

const OAUTH_OPTIONS: FormsOf<OAuthOptions> = {
  serverUrl: 1,
  grant: {
    type: ['jwt-bearer', 'enterprise'],
    assertion: 1,
    idp: { tokenEndpoint: 1, clientId: 1, clientSecret: 1, idToken: 1 } satisfies FormsOf<IdentityProvider>,
  },
  redirect: 1,
  askUser: ['when-needed', 'on-sign-in'],
  clientId: 1,
  clientSecret: 1,
  privateKey: 1,
  tokenEndpointAuthMethod: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  issuer: 1,
  clientMetadataUrl: 1,
  clientMetadata: 1,
  scopes: 1,
  offlineAccess: 1,
  dpop: [true, false, 'auto'],
  storage: 1,
  account: 1,
  fetch: 1,
  onStep: 1,
  timeout: 1,
  signInTimeout: 1,
  maxDocumentBytes: 1,
  maxAttempts: 1,
  trustedHosts: 1,
  issuerAliases: 1,
  selectIssuer: 1,
}

/** Refuses combinations that can never work, when the provider is made and not at the first 401. */
export function checkOptions(options: OAuthOptions): void {
  requireKnownOptions('sign-in', OAUTH_OPTIONS, options)
  const grant = options.grant ?? 'authorization_code'
  if (typeof grant === 'string') requireKnownOptions('sign-in', { grant: GRANTS }, { grant })
  const refuse = (message: string): never => {
    throw oauthError('options', message)
  }
  if (grant !== 'authorization_code' && options.clientId === undefined) {
    if (typeof grant === 'string') refuse(`grant "${grant}" needs clientId`)
    if (options.clientMetadataUrl === undefined)
      refuse(`grant "${(grant as { type: string }).type}" needs clientId`)
  }
  if (grant === 'client_credentials' && !options.clientSecret && options.privateKey === undefined) {
    refuse('grant "client_credentials" needs clientSecret or privateKey')
  }
  if (grant === 'private_key_jwt' && options.privateKey === undefined) {
    refuse('grant "private_key_jwt" needs privateKey')
  }
  const url = options.clientMetadataUrl
  if (url !== undefined) {
    const parsed = parseUrl(url)
    if (parsed?.protocol !== 'https:' || parsed.pathname === '/' || parsed.hash !== '') {
      refuse('clientMetadataUrl must be an https URL with a path and without a fragment')
    }
  }
}
