import {
  allowInsecureRequests,
  type Client,
  customFetch,
  dynamicClientRegistrationRequest,
} from 'oauth4webapi'
import { parseUrl } from '../../protocol/index.ts'
import { isJsonObject } from '../../jsonrpc/index.ts'
import {
  chooseAuthMethod,
  type ClientInformation,
  isClientInformation,
  isTokenAuthMethod,
} from '../tokens/client-information.ts'
import { type DiscoveryContext, stringArray } from '../discovery/metadata-document.ts'
import { oauthError, quote } from '../http/oauth-error.ts'
import type { ClientMetadata, OAuthOptions } from '../oauth-options.ts'
import { isLoopback } from '../http/safe-url.ts'
import type { AuthServer } from '../discovery/server-metadata.ts'
import type { TokenStorage } from '../tokens/token-storage.ts'

export interface RegistrationContext extends DiscoveryContext {
  readonly options: OAuthOptions
  readonly storage: TokenStorage
  readonly signal?: AbortSignal | undefined
}

export function clientKey(issuer: string): string {
  return `client ${issuer}`
}

/** Obtains our client id (2026-07-28, "Client Registration"). `redirectUri` is undefined without a user. */
export async function obtainClient(
  server: AuthServer,
  redirectUri: string | undefined,
  context: RegistrationContext,
): Promise<ClientInformation> {
  const client =
    (await preRegistered(server, context)) ??
    fromMetadataDocument(server, context.options) ??
    (await remembered(server, redirectUri, context)) ??
    (await register(server, redirectUri, context))
  const info = { source: client.source, issuer: server.issuer, authMethod: client.authMethod }
  context.step({ step: 'client', outcome: 'ok', info: { ...info, clientId: client.clientId } })
  return client
}

/**
 * Credentials that the user gave belong to one issuer. When the user did not name it, it is the first issuer that is
 * met.
 */
async function preRegistered(
  server: AuthServer,
  { options, storage }: RegistrationContext,
): Promise<ClientInformation | undefined> {
  const { clientId, clientSecret, privateKey } = options
  if (clientId === undefined) return undefined
  const key = `issuer of ${clientId}${options.account === undefined ? '' : ` for ${options.account}`}`
  const bound = options.issuer ?? (await storage.read(key))?.issuer
  if (bound !== undefined && bound !== server.issuer) {
    throw oauthError(
      'client_issuer_mismatch',
      `client ${quote(clientId)} is registered with another server`,
      {
        url: server.issuer,
        expected: quote(bound),
        found: quote(server.issuer),
        fix: 'Its credentials were not sent. Register the client with the new server, or set issuer to it.',
      },
    )
  }
  const announced = stringArray(server.metadata.token_endpoint_auth_methods_supported)
  const has = { secret: !!clientSecret, key: privateKey !== undefined }
  const authMethod = options.tokenEndpointAuthMethod ?? chooseAuthMethod(announced, has)
  if (authMethod === undefined) {
    throw oauthError('client_authentication', 'no way to authenticate that both sides know', {
      url: server.issuer,
      expected: `one of ${announced?.join(', ')}`,
      found:
        clientSecret || privateKey ? 'credentials of another kind' : 'neither clientSecret nor privateKey',
    })
  }
  if (bound === undefined) await storage.write(key, { issuer: server.issuer })
  return { clientId, clientSecret, authMethod, source: 'pre-registered' }
}

/** A Client ID Metadata Document is the same identity everywhere; nothing is bound or stored. */
function fromMetadataDocument(server: AuthServer, options: OAuthOptions): ClientInformation | undefined {
  const { clientMetadataUrl, privateKey } = options
  if (clientMetadataUrl === undefined) return undefined
  if (server.metadata.client_id_metadata_document_supported !== true) return undefined
  const authMethod =
    options.tokenEndpointAuthMethod ?? (privateKey === undefined ? 'none' : 'private_key_jwt')
  return { clientId: clientMetadataUrl, authMethod, source: 'metadata-document' }
}

/** An earlier registration with the same issuer, if it is still good for this redirect URI. */
async function remembered(
  server: AuthServer,
  redirectUri: string | undefined,
  { storage }: RegistrationContext,
): Promise<ClientInformation | undefined> {
  const stored = (await storage.read(clientKey(server.issuer)))?.client
  if (!isClientInformation(stored) || stored.redirectUri !== redirectUri) return undefined
  const expired = stored.secretExpiresAt !== undefined && stored.secretExpiresAt <= Date.now() + 60_000
  return expired ? undefined : stored
}

export async function registeredRedirect(
  server: AuthServer,
  { storage, options }: RegistrationContext,
): Promise<string | undefined> {
  if (options.clientId !== undefined) return undefined
  const stored = (await storage.read(clientKey(server.issuer)))?.client
  return isClientInformation(stored) ? stored.redirectUri : undefined
}

/** Dynamic Client Registration (RFC 7591). */
async function register(
  server: AuthServer,
  redirectUri: string | undefined,
  { options, storage, http }: RegistrationContext,
): Promise<ClientInformation> {
  const url = server.metadata.registration_endpoint
  if (url === undefined || redirectUri === undefined) {
    throw oauthError('client_registration', 'we are not known to the authorization server', {
      url: server.issuer,
      found: 'neither client ID metadata documents nor dynamic registration',
      fix:
        options.clientMetadataUrl === undefined
          ? 'Register a client with it by hand and give clientId (and clientSecret).'
          : 'It does not support clientMetadataUrl: register by hand and give clientId (and clientSecret).',
    })
  }
  const request = registrationRequest(server, redirectUri, options)
  const response = await dynamicClientRegistrationRequest(server.metadata, request as Partial<Client>, {
    [customFetch]: http.sender('The registration endpoint'),
    [allowInsecureRequests]: true,
  })
  const client = await readRegistration(response, { url, request, server, redirectUri })
  await storage.write(clientKey(server.issuer), JSON.parse(JSON.stringify({ client })))
  return client
}

function registrationRequest(server: AuthServer, redirectUri: string, options: OAuthOptions): ClientMetadata {
  const announced = stringArray(server.metadata.token_endpoint_auth_methods_supported)
  const method = announced?.includes('none')
    ? 'none'
    : chooseAuthMethod(announced, { secret: true, key: options.privateKey !== undefined })
  return {
    client_name: 'MCP client',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: options.tokenEndpointAuthMethod ?? method ?? 'none',
    // Without it OpenID providers assume "web" and refuse loopback redirects (2026-07-28, SEP-837).
    application_type: isLoopbackUrl(redirectUri) ? 'native' : 'web',
    ...options.clientMetadata,
  }
}

/** Lenient where servers are: 200 for 201, no `client_secret_expires_at`, no `token_endpoint_auth_method`. */
async function readRegistration(
  response: Response,
  asked: { url: string; request: ClientMetadata; server: AuthServer; redirectUri: string },
): Promise<ClientInformation> {
  const { url, request, server, redirectUri } = asked
  const body: unknown = await response.json().catch(() => undefined)
  if ((response.status !== 201 && response.status !== 200) || !isJsonObject(body)) {
    const error = isJsonObject(body) && typeof body.error === 'string' ? body.error : undefined
    const text = isJsonObject(body) ? body.error_description : undefined
    throw oauthError('client_registration', 'the authorization server refused to register us', {
      url,
      status: response.status,
      error,
      found: `HTTP status ${response.status}${error ? `, ${error}` : ''}${text ? `: ${quote(text)}` : ''}`,
      fix: /redirect/.test(error ?? '')
        ? `It does not accept redirect URI ${redirectUri} for application_type "${request.application_type}".`
        : 'Check clientMetadata, or register by hand and give clientId.',
    })
  }
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: expires } = body
  if (typeof clientId !== 'string' || clientId === '') {
    throw oauthError('client_registration', 'the registration answer has no client_id', { url })
  }
  const clientSecret = typeof secret === 'string' && secret !== '' ? secret : undefined
  const stated = body.token_endpoint_auth_method ?? request.token_endpoint_auth_method
  const announced = stringArray(server.metadata.token_endpoint_auth_methods_supported)
  const secretMethod = chooseAuthMethod(announced, { secret: clientSecret !== undefined, key: false })
  const usable =
    isTokenAuthMethod(stated) && (clientSecret !== undefined || !stated.startsWith('client_secret'))
  const secretExpiresAt = typeof expires === 'number' && expires > 0 ? expires * 1000 : undefined
  return {
    clientId,
    clientSecret,
    authMethod: usable ? stated : (secretMethod ?? 'none'),
    source: 'registered',
    redirectUri,
    secretExpiresAt,
  }
}

function isLoopbackUrl(text: string): boolean {
  const url = parseUrl(text)
  return url !== undefined && isLoopback(url)
}
