import { isJsonObject } from '../../jsonrpc/index.ts'

export type TokenAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

export interface ClientInformation {
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly authMethod: TokenAuthMethod
  readonly source: 'pre-registered' | 'metadata-document' | 'registered'
  readonly redirectUri?: string | undefined
  /** When the secret stops working, in milliseconds since 1970. */
  readonly secretExpiresAt?: number | undefined
}

const METHODS: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']

export function isTokenAuthMethod(value: unknown): value is TokenAuthMethod {
  return typeof value === 'string' && METHODS.includes(value)
}

export function isClientInformation(value: unknown): value is ClientInformation {
  return isJsonObject(value) && typeof value.clientId === 'string' && isTokenAuthMethod(value.authMethod)
}

/** The strongest method that both sides have. RFC 8414: the default is `client_secret_basic`. */
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
