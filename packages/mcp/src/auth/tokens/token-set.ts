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
  /** What was asked for, over all authorizations so far; kept so that a step-up loses nothing. */
  readonly requestedScopes: readonly string[]
  /** What the server said it granted; undefined when it did not say. */
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

/** Undefined for what is not a token set of this version: the user signs in again. */
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

/** Time to renew: the last tenth of the life, at most a minute, so that no request meets the expiry on its way. */
export function isExpiring(tokens: TokenSet, now: number = Date.now()): boolean {
  if (tokens.expiresAt === undefined) return false
  const leeway = Math.min(60_000, (tokens.expiresAt - tokens.obtainedAt) / 10)
  return tokens.expiresAt - leeway <= now
}
