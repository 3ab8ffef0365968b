import type { JSONWebKeySet } from 'jose'
import type { JsonObject } from '../../jsonrpc/index.ts'
import type { Duration, FormsOf } from '../../protocol/index.ts'
import type { Fetch } from '../http/reach-fetch.ts'
import type { IsNewProof } from './dpop-proof.ts'
import type { IntrospectionOptions } from './introspector.ts'

/** An authorization server whose tokens are accepted. */
export interface IssuerOptions {
  /** Exactly as its metadata and the `iss` of its tokens have it. */
  issuer: string
  /** Its keys, or where they are. Default: found through its metadata. */
  jwks?: JSONWebKeySet | string
}

export type DpopMode = 'off' | 'allowed' | 'required'

export interface DpopOptions {
  mode: 'allowed' | 'required'
  /** How old a proof may be. Default: five minutes. */
  maxAge?: Duration
  /** Proofs must hold one of our nonces. The secret makes replicas accept each other's. Default: false. */
  nonce?: boolean | { secret?: string | Uint8Array; period?: Duration }
  /** Replay detection beyond this process: true when the proof was not seen before, by any replica. */
  isNewProof?: IsNewProof
  /** Default: the asymmetric algorithms that are accepted for tokens. */
  algorithms?: readonly string[]
}

/** Why a request was not let through, for logs. There is nothing of the token in it. */
export interface Refusal {
  readonly status: number
  readonly error: string
  readonly reason: string
  readonly method: string
  readonly path: string
}

export interface BearerOptions {
  /** The URL of this MCP server for clients. Tokens must be issued for it, and the metadata names it. */
  resource: string
  /** The authorization server; or several, with `issuers`. */
  issuer?: string
  issuers?: readonly (string | IssuerOptions)[]
  /** The value that `aud` must contain. Default: the resource. `false` accepts tokens for other resources. */
  audience?: string | readonly string[] | false
  scopes?: readonly string[]
  /** Broader scopes and what they include: `{ 'notes:write': ['notes:read'] }`. */
  impliedScopes?: Readonly<Record<string, readonly string[]>>
  /** Keys of the only issuer, or where they are. Default: found through its metadata. */
  jwks?: JSONWebKeySet | string
  introspection?: IntrospectionOptions
  /** Tokens that are bound to a key of the client (RFC 9449). Default: `off`, which refuses them. */
  dpop?: DpopMode | DpopOptions
  /** Signature algorithms of tokens. Default: every asymmetric one. `none` and `HS*` are never accepted. */
  algorithms?: readonly string[]
  /** Take only JWTs that call themselves access tokens (RFC 9068). Default: false. */
  requireAccessTokenType?: boolean
  /** How far clocks may differ. Default: 30 seconds. */
  clockTolerance?: Duration
  /** How long a token that was found good is not looked at again. Default: one minute; 0 switches it off. */
  cacheTtl?: Duration
  /** Default: 5 000. */
  maxCachedTokens?: number
  /** More members of the metadata document: `resource_name`, `scopes_supported`, … (RFC 9728, section 2). */
  metadata?: JsonObject
  /** Where the metadata is, when it is not at its well-known place. */
  metadataUrl?: string
  /** Hosts of issuers that may be reached by plain HTTP or on private addresses. */
  trustedHosts?: readonly string[]
  /** For one request to an issuer. Default: 5 seconds. */
  timeout?: Duration
  fetch?: Fetch
  onRefused?: (refusal: Refusal) => void
}

export const DPOP_MODES = ['off', 'allowed', 'required'] as const

export const BEARER_OPTIONS: FormsOf<BearerOptions> = {
  resource: 1,
  issuer: 1,
  issuers: 1,
  audience: 1,
  scopes: 1,
  impliedScopes: 1,
  jwks: 1,
  introspection: {
    url: 1,
    clientId: 1,
    clientSecret: 1,
    method: ['client_secret_basic', 'client_secret_post'],
    all: 'true or false',
    issuer: 1,
  } satisfies FormsOf<IntrospectionOptions>,
  dpop: {
    mode: DPOP_MODES,
    maxAge: 1,
    nonce: { secret: 1, period: 1 },
    isNewProof: 'a function',
    algorithms: 1,
  } satisfies FormsOf<DpopOptions>,
  algorithms: 1,
  requireAccessTokenType: 'true or false',
  clockTolerance: 1,
  cacheTtl: 1,
  maxCachedTokens: 1,
  metadata: 1,
  metadataUrl: 1,
  trustedHosts: 1,
  timeout: 1,
  fetch: 1,
  onRefused: 1,
}
