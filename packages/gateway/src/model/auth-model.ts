import type { Principal } from '@gantry/mcp/exchange'
import type { Secret } from './secret.ts'

/** Who may come in. Nothing is required on loopback unless something is configured here. */
export interface AuthModel {
  readonly required: boolean
  readonly apiKeys: readonly ApiKeyModel[]
  readonly bearer: BearerModel | undefined
}

export interface ApiKeyModel {
  readonly name: string
  /** SHA-256 of the key in lower-case hex: the key itself is not kept. */
  readonly sha256: string
  readonly scopes: readonly string[]
}

/** The caller who holds the key of this name. */
export function keyPrincipal(name: string): Principal {
  return Object.freeze({ kind: 'key', issuer: undefined, subject: name })
}

/** Access tokens of an authorization server. */
export interface BearerModel {
  readonly issuer: string
  readonly audience: string
  /** Scopes that every request needs. */
  readonly scopes: readonly string[]
  /** Found through the issuer's metadata when undefined. */
  readonly jwksUri: string | undefined
  /** `server.trustedHosts`: hosts that the issuer's metadata may name although their addresses are private. */
  readonly trustedHosts: readonly string[]
  /** For tokens that are not JWTs. */
  readonly introspection:
    | { readonly url: string; readonly clientId: string; readonly clientSecret: Secret }
    | undefined
}

/** What a key or token needs to administer the gateway: whoever may change the configuration may start programs. */
export const ADMIN_SCOPE = 'gantry:admin'
/** Lets a key read the numbers and nothing else. */
export const METRICS_SCOPE = 'gantry:metrics'
