import type { Principal } from '@gantry/mcp/exchange'
import type { Secret } from './secret.ts'
import type { AuthSettings } from './settings.gen.ts'
import type { Expression } from './view-model.ts'

/** The doors of the gateway. On loopback no credential is required unless a door is configured. */
export interface AuthModel {
  readonly required: boolean
  readonly apiKeys: readonly ApiKeyModel[]
  /** Whether keys of the store (made by `gantry keys add`) are accepted. */
  readonly keys: boolean
  /** Authorization servers whose tokens are accepted. */
  readonly issuers: readonly BearerModel[]
  /** Gantry's own authorization server; undefined when it is off. */
  readonly signIn: SignInModel | undefined
  /** Client certificates of the authorities in this file open the door; undefined: they are not asked for. */
  readonly mtls: { readonly ca: string } | undefined
  /** Groups whose members may use the console and its API; undefined: scopes alone decide. */
  readonly roles: RolesModel | undefined
  /** Where the groups of a caller come from; undefined: the claim `groups`. */
  readonly groups: GroupsModel | undefined
}

/** Names or paths of claims, or an expression that gives a text or a list of texts. */
export type GroupsModel = { readonly claims: readonly string[] } | { readonly expression: Expression }

/** Names of groups. */
export type RolesModel = NonNullable<AuthSettings['roles']>

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

/**
 * The issuer of callers with a certificate, for rules. Issuers of tokens are URLs, so no issuer of tokens has this
 * name.
 */
export const CERTIFICATE_ISSUER = 'mtls'

/** The holder of a client certificate, and its end. */
export interface Certified {
  readonly subject: string
  readonly expiresAt: number
}

/** The scope to administer the gateway. Its holder may change the configuration, and so start programs. */
export const ADMIN_SCOPE = 'gantry:admin'
/** The scope to keep the gateway running. Its holder cannot change the configuration or let others in. */
export const OPERATOR_SCOPE = 'gantry:operator'
/** Reads lists and figures, and no bodies. */
export const VIEWER_SCOPE = 'gantry:viewer'
/** Lets a key read the numbers and nothing else. */
export const METRICS_SCOPE = 'gantry:metrics'

/** The login at a company's identity provider, behind an authorization server of our own. */
export interface SignInModel {
  /** The identity provider. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret
  /** The scopes that it is asked for. */
  readonly upstreamScopes: readonly string[]
  /** The issuer of the authorization server here: the origin that clients know. */
  readonly ownIssuer: string
  /** The resource in our tokens. */
  readonly resource: string
  /** All that the metadata names, our own first. */
  readonly authorizationServers: readonly string[]
  /** Scopes that every request needs. */
  readonly scopes: readonly string[]
  /** Scopes that clients may ask for. */
  readonly allScopes: readonly string[]
  /** Scopes that lead people to connect their accounts. */
  readonly accountScopes: readonly string[]
  /** Whether the ID tokens of people are kept, because a target exchanges them. */
  readonly keepsIdTokens: boolean
  /** How long a sign-in lasts, in milliseconds. */
  readonly lifetime: number
  readonly accessTokenLifetime: number
  /** Known beforehand. */
  readonly clients: readonly SignInClient[]
  readonly trustedHosts: readonly string[]
}

export interface SignInClient {
  readonly clientId: string
  readonly name: string
  readonly clientSecret: Secret | undefined
  readonly redirectUris: readonly string[]
}
