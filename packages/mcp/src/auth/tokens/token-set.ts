import type { JWK } from 'jose'
import { isJsonObject, type JsonObject } from '../../jsonrpc/index.ts'
import { type ClientInformation, isClientInformation } from './client-information.ts'

/** Tokens and all that is needed to renew them; this is what a storage keeps. */
export interface TokenSet {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly refreshToken?: string | undefined
  /** Milliseconds since 1970. */
  readonly obtainedAt: number
  readonly expiresAt?: number | undefined
  /** Whether the authorization server or an older refresh token gave it. */
  readonly via: 'grant' | 'refresh'
  /** The scopes of all authorizations so far, so that a step-up keeps them. */
  readonly requestedScopes: readonly string[]
  /** The scopes that the server granted; undefined when its answer has none. */
  readonly grantedScopes?: readonly string[] | undefined
  /** The only server that may ever see the refresh token and the client's secret. */
  readonly issuer: string
  /** The `resource` parameter; undefined for servers of revision 2025-03-26. */
  readonly resource?: string | undefined
  readonly client: ClientInformation
  /** The private key that a DPoP token is bound to. */
  readonly dpopKey?: JWK | undefined
}

export function toJson(tokens: TokenSet): JsonObject {
  return JSON.parse(JSON.stringify({ ...tokens, version: 1 })) as JsonObject
}

/** Undefined when the value is no token set of this version: the user signs in again. */
export function fromJson(value: JsonObject | undefined): TokenSet | undefined {
  if (value?.version !== 1 || typeof value.accessToken !== 'string') return undefined
  if (typeof value.issuer !== 'string' || !isClientInformation(value.client)) return undefined
  if (
    !Array.isArray(value.requestedScopes) ||
    (value.dpopKey !== undefined && !isJsonObject(value.dpopKey))
  ) {
    return undefined
  }
  return value as unknown as TokenSet
}

export function isExpired(tokens: TokenSet, now: number = Date.now()): boolean {
  return tokens.expiresAt !== undefined && tokens.expiresAt <= now
}

/**
 * Time to renew: the last tenth of the life, at most a minute, so that no request meets the expiry on its way. For some
 * tokens it is up to twice as long, so that tokens of many users that were issued together are not renewed together.
 */
export function isExpiring(
  { accessToken, expiresAt, obtainedAt }: TokenSet,
  now: number = Date.now(),
): boolean {
  if (expiresAt === undefined) return false
  const leeway = Math.min(60_000, (expiresAt - obtainedAt) / 10)
  // Almost always: the exact moment matters only near the end.
  if (expiresAt - 2 * leeway > now) return false
  return expiresAt - leeway * (1 + shareOf(accessToken)) <= now
}

/** A number from 0 to 1 that is the same for a token everywhere. */
function shareOf(token: string): number {
  let hash = 0
  for (const char of token.slice(-16)) hash = (Math.imul(hash, 31) + char.codePointAt(0)!) >>> 0
  return (Math.imul(hash, 0x9e3779b1) >>> 0) / 2 ** 32
}
