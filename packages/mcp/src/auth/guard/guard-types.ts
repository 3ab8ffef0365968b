import type { JsonObject } from '../../jsonrpc/index.ts'
import type { Principal } from '../../protocol/index.ts'

// The shapes of `Guard` in transport/, which this layer may not import. A test keeps the two assignable.

/** A request for a guard, as the HTTP transport hands it over, with header names in lower case. */
export interface GuardCall {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

export interface GuardAuth {
  /** Sessions, tasks and `requestState` belong to it. */
  readonly principal: Principal
  /** The scopes of the token and the scopes that `impliedScopes` adds. */
  readonly scopes: readonly string[]
  readonly clientId?: string
  /** The verified token's claims, or what introspection answered. */
  readonly claims: Readonly<JsonObject>
  /** The raw credential, for on-behalf-of calls. Never logged. */
  readonly token: string
  /** In milliseconds since 1970. */
  readonly expiresAt?: number
}

export interface GuardRefusal {
  readonly ok: false
  readonly status: number
  readonly headers: Record<string, string>
  readonly body?: string
}

export interface GuardPass {
  readonly ok: true
  readonly auth: GuardAuth
  /** Makes the answer to a request that needs scopes which the token lacks. */
  readonly challenge: (scopes: readonly string[]) => { status: number; headers: Record<string, string> }
}

export type GuardVerdict = GuardPass | GuardRefusal
