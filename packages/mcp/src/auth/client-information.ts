import { isJsonObject } from '../jsonrpc/index.ts'

export type TokenAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** Who we are to one authorization server. */
export interface ClientInformation {
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly authMethod: TokenAuthMethod
  readonly source: 'pre-registered' | 'metadata-document' | 'registered'
  /** The redirect URI that was registered. */
  readonly redirectUri?: string | undefined
  /** When the secret stops working, in milliseconds since 1970. */
  readonly secretExpiresAt?: number | undefined
}

const METHODS: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']

export function isTokenAuthMethod(value: unknown): value is TokenAuthMethod {
  return typeof value === 'string' && METHODS.includes(value)
}

/** Narrows what a storage gave back. */
export function isClientInformation(value: unknown): value is ClientInformation {
  return isJsonObject(value) && typeof value.clientId === 'string' && isTokenAuthMethod(value.authMethod)
}

/**
 * How to authenticate at the token endpoint. RFC 8414: a server that announces no methods supports
 * `client_secret_basic`. The order is the strongest that we are able to use.
 */
export function chooseAuthMethod(
  announced: readonly string[] | undefined,
  has: { secret: boolean; key: boolean },
): TokenAuthMethod | undefined {
  const supported = announced ?? ['client_secret_basic', 'private_key_jwt', 'none']
  if (has.key && supported.includes('private_key_jwt')) return 'private_key_jwt'
  if (has.secret && supported.includes('client_secret_basic')) return 'client_secret_basic'
  if (has.secret && supported.includes('client_secret_post')) return 'client_secret_post'
  return supported.includes('none') ? 'none' : undefined
}
