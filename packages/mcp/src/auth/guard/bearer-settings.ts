import { McpError } from '../../jsonrpc/index.ts'
import { type Duration, parseDuration, parseUrl, requireKnownOptions } from '../../protocol/index.ts'
import { OAuthHttp } from '../http/oauth-http.ts'
import {
  BEARER_OPTIONS,
  DPOP_MODES,
  type BearerOptions,
  type DpopMode,
  type DpopOptions,
  type IssuerOptions,
} from './bearer-options.ts'
import { DpopNonces, DpopProofs } from './dpop-proof.ts'
import { Introspector } from './introspector.ts'
import { Issuer } from './issuer.ts'
import type { JwtRules } from './verify-jwt.ts'

/** Options made ready: checked, with defaults, and with the parts that they describe. */
export interface BearerSettings {
  readonly resource: URL
  readonly issuers: ReadonlyMap<string, Issuer>
  readonly introspector: Introspector | undefined
  readonly introspectsAll: boolean
  readonly rules: JwtRules
  readonly scopes: readonly string[]
  readonly dpopMode: DpopMode
  readonly dpopAlgorithms: readonly string[]
  readonly proofs: DpopProofs | undefined
  readonly nonces: DpopNonces | undefined
  readonly cacheTtlMs: number
  readonly maxCachedTokens: number
}

const ALGORITHMS = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'],
]
const MAX_DOCUMENT_BYTES = 262_144

/** Refuses what cannot work or would not protect, when the guard is made and not at the first request. */
export function readSettings(options: BearerOptions): BearerSettings {
  requireKnownOptions('guard', BEARER_OPTIONS, options)
  for (const issuer of options.issuers ?? [])
    if (typeof issuer === 'object') requireKnownOptions('trusted issuer', { issuer: 1, jwks: 1 }, issuer)
  const resource = resourceUrl(options.resource)
  const issuers = issuersOf(options)
  const rules: JwtRules = {
    algorithms: algorithmsOf(options.algorithms),
    audiences: audiencesOf(options),
    clockToleranceMs: parseDuration(options.clockTolerance ?? '30s'),
    requireAccessTokenType: options.requireAccessTokenType ?? false,
  }
  return {
    resource,
    issuers,
    introspector: introspectorOf(options, issuers),
    introspectsAll: options.introspection?.all ?? false,
    rules,
    scopes: checkScopes(options.scopes ?? []),
    ...dpopOf(options, resource, rules),
    cacheTtlMs: parseDuration(options.cacheTtl ?? '1m'),
    maxCachedTokens: options.maxCachedTokens ?? 5_000,
  }
}

function resourceUrl(resource: string): URL {
  const url = parseUrl(resource)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '' || /[#"\\\s]/.test(resource)) {
    throw invalid(
      `resource must be the URL of the MCP server without a fragment, not ${JSON.stringify(resource)}`,
    )
  }
  return url
}

function issuersOf(options: BearerOptions): ReadonlyMap<string, Issuer> {
  const given: IssuerOptions[] = [
    ...(options.issuer === undefined ? [] : [{ issuer: options.issuer }]),
    ...(options.issuers ?? []).map((entry) => (typeof entry === 'string' ? { issuer: entry } : entry)),
  ]
  if (given.length === 0) throw invalid('issuer is missing: whose tokens are to be accepted?')
  if (options.jwks !== undefined) {
    if (given.length > 1) throw invalid('with several issuers, jwks belongs to one of them')
    given[0] = { jwks: options.jwks, ...given[0]! }
  }
  const timeoutMs = parseDuration(options.timeout ?? '5s')
  const entries = given.map(({ issuer, jwks }) => {
    if (!URL.canParse(issuer)) throw invalid(`issuer must be a URL, not ${JSON.stringify(issuer)}`)
    const http = new OAuthHttp({
      fetch: options.fetch,
      timeoutMs,
      maxBytes: MAX_DOCUMENT_BYTES,
      serverUrl: new URL(issuer),
      trustedHosts: options.trustedHosts ?? [],
    })
    http.check(issuer, 'The issuer')
    return [issuer, new Issuer(issuer, http, jwks)] as const
  })
  return new Map(entries)
}

function introspectorOf(
  { introspection }: BearerOptions,
  issuers: ReadonlyMap<string, Issuer>,
): Introspector | undefined {
  if (introspection === undefined) return undefined
  const [only, ...others] = issuers.values()
  const named = introspection.issuer === undefined ? undefined : issuers.get(introspection.issuer)
  const issuer = introspection.issuer === undefined && others.length === 0 ? only : named
  if (issuer === undefined) throw invalid('introspection.issuer must name one of the issuers')
  return new Introspector(issuer, introspection)
}

/** A symmetric key verifies and signs: every server that checks tokens could make them. */
function algorithmsOf(given: readonly string[] | undefined): readonly string[] {
  const bad = given?.filter((name) => !ALGORITHMS.includes(name)) ?? []
  if (bad.length > 0) throw invalid(`algorithms: ${bad.join(', ')} cannot be accepted`)
  if (given?.length === 0) throw invalid('algorithms is empty')
  return given ?? ALGORITHMS
}

/** `https://host` and `https://host/` are the same URL, and clients write both. */
function audiencesOf({ audience, resource }: BearerOptions): readonly string[] | undefined {
  if (audience === false) return undefined
  const given = typeof audience === 'string' ? [audience] : (audience ?? [resource])
  if (given.length === 0 || given.includes('')) throw invalid('audience is empty')
  return given.flatMap((name) => {
    if (!URL.canParse(name)) return [name]
    const { origin, href } = new URL(name)
    return href === `${origin}/` && (name === origin || name === href) ? [origin, href] : [name]
  })
}

/** `scope-token` of RFC 6749, section 3.3: anything else could not be written into a challenge. */
export function checkScopes(scopes: readonly string[]): readonly string[] {
  const bad = scopes.filter((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  if (bad.length > 0) throw invalid(`not a scope: ${JSON.stringify(bad[0])}`)
  return scopes
}

function dpopOf(
  { dpop = 'off' }: BearerOptions,
  resource: URL,
  rules: JwtRules,
): Pick<BearerSettings, 'dpopMode' | 'dpopAlgorithms' | 'proofs' | 'nonces'> {
  const given: Omit<DpopOptions, 'mode'> & { mode: DpopMode } =
    typeof dpop === 'string' ? { mode: dpop } : dpop
  requireKnownOptions('guard', { dpop: DPOP_MODES }, { dpop: given.mode })
  if (given.mode === 'off') {
    return { dpopMode: 'off', dpopAlgorithms: [], proofs: undefined, nonces: undefined }
  }
  const { maxAge = '5m', nonce, isNewProof, algorithms = rules.algorithms } = given
  const dpopAlgorithms = algorithmsOf(algorithms)
  const nonces = noncesOf(nonce)
  const proofs = new DpopProofs({
    algorithms: dpopAlgorithms,
    maxAgeMs: parseDuration(maxAge),
    clockToleranceMs: rules.clockToleranceMs,
    nonces,
    resource,
    isNewProof,
  })
  return { dpopMode: given.mode, dpopAlgorithms, proofs, nonces }
}

function noncesOf(
  nonce: boolean | { secret?: string | Uint8Array; period?: Duration } | undefined,
): DpopNonces | undefined {
  if (!nonce) return undefined
  const { secret, period = '5m' } = nonce === true ? {} : nonce
  return new DpopNonces(Math.max(1000, parseDuration(period)), secret)
}

function invalid(message: string): McpError {
  return new McpError('invalid_config', `bearer(): ${message}`)
}
