import { type CryptoKey, importJWK, importPKCS8, type JWK } from 'jose'
import { type ClientAuth, ClientSecretPost, modifyAssertion, None, PrivateKeyJwt } from 'oauth4webapi'
import type { ClientInformation } from '../tokens/client-information.ts'
import { oauthError, quote } from '../http/oauth-error.ts'
import type { AuthServer } from '../discovery/server-metadata.ts'

/** The key of `private_key_jwt`: a PKCS #8 PEM, a JWK, or a key that is already imported. */
export interface SigningKey {
  readonly key: string | JWK | CryptoKey
  /** JWS algorithm. Default: the JWK's own, or ES256. */
  readonly algorithm?: string | undefined
  readonly keyId?: string | undefined
}

/** Makes the function by which the OAuth library authenticates us at the token endpoint. */
export async function clientAuthentication(
  client: ClientInformation,
  server: AuthServer,
  signingKey: SigningKey | undefined,
): Promise<ClientAuth> {
  switch (client.authMethod) {
    case 'none':
      return None()
    case 'client_secret_basic':
      return clientSecretBasic(secretOf(client, server))
    case 'client_secret_post':
      return ClientSecretPost(secretOf(client, server))
    case 'private_key_jwt':
      return privateKeyJwt(signingKey, server)
  }
}

function secretOf(client: ClientInformation, server: AuthServer): string {
  if (client.clientSecret !== undefined) return client.clientSecret
  throw oauthError('client_authentication', `${client.authMethod} needs a client secret and there is none`, {
    url: server.issuer,
    fix: 'Give clientSecret, or register the client as a public one.',
  })
}

/** RFC 6749, section 2.3.1. The library escapes `-._` too; some servers need `client_id` as well. */
export function clientSecretBasic(secret: string): ClientAuth {
  return (_server, client, body, headers) => {
    body.set('client_id', client.client_id)
    const pair = `${formEncode(client.client_id)}:${formEncode(secret)}`
    headers.set('authorization', `Basic ${btoa(pair)}`)
  }
}

function formEncode(value: string): string {
  return new URLSearchParams([['', value]]).toString().slice(1)
}

async function privateKeyJwt(signingKey: SigningKey | undefined, server: AuthServer): Promise<ClientAuth> {
  if (signingKey === undefined) {
    throw oauthError('client_authentication', 'private_key_jwt needs a signing key and there is none', {
      url: server.issuer,
      fix: 'Give privateKey: { key, algorithm }.',
    })
  }
  const algorithm = algorithmOf(signingKey)
  const accepted = server.metadata.token_endpoint_auth_signing_alg_values_supported
  if (Array.isArray(accepted) && !accepted.includes(algorithm)) {
    throw oauthError(
      'client_authentication',
      'the authorization server does not accept the key’s algorithm',
      { url: server.issuer, expected: `one of ${accepted.join(', ')}`, found: quote(algorithm) },
    )
  }
  const key = await importSigningKey(signingKey, algorithm)
  const kid = signingKey.keyId
  return PrivateKeyJwt(kid === undefined ? { key } : { key, kid }, {
    [modifyAssertion](header) {
      header.alg = algorithm
    },
  })
}

function algorithmOf({ key, algorithm }: SigningKey): string {
  if (algorithm !== undefined) return algorithm
  return typeof key === 'object' && isJwk(key) ? (key.alg ?? 'ES256') : 'ES256'
}

function isJwk(key: JWK | CryptoKey): key is JWK {
  return 'kty' in key
}

async function importSigningKey({ key }: SigningKey, algorithm: string): Promise<CryptoKey> {
  try {
    if (typeof key === 'string') return await importPKCS8(key, algorithm)
    if (!isJwk(key)) return key
    const imported = await importJWK(key, algorithm)
    if (!(imported instanceof Uint8Array)) return imported
  } catch (cause) {
    throw oauthError('client_authentication', 'the signing key cannot be imported', {
      expected: `a PKCS #8 PEM or a private JWK for ${algorithm}`,
      cause,
    })
  }
  throw oauthError('client_authentication', 'the signing key is symmetric', { expected: 'a private key' })
}
