import type { Timestamp } from './common.ts'

/** `GET /api/keys`: who may come in with a key. */
export interface KeyList {
  /** Whether keys of the store open the door (`auth.keys`). */
  readonly accepting: boolean
  readonly keys: readonly KeyRow[]
}

export interface KeyRow {
  readonly name: string
  /** Keys of the configuration are changed there. */
  readonly from: 'configuration' | 'store'
  readonly scopes: readonly string[]
  /** Endpoints `/mcp/NAME` that it opens, and no others; empty: all. */
  readonly views: readonly string[]
  /** `not-accepted`: the configuration does not accept keys of the store, or has one of the same name. */
  readonly state: 'active' | 'expired' | 'not-accepted'
  readonly createdAt?: Timestamp
  readonly expiresAt?: Timestamp
  /** Within a minute. */
  readonly lastUsedAt?: Timestamp
}

export interface AddKey {
  readonly name: string
  readonly scopes?: readonly string[]
  readonly views?: readonly string[]
  /** Without it the key does not expire. */
  readonly expiresAt?: Timestamp
}

export interface KeyAdded {
  /** The key itself. This is the only answer with it: the gateway keeps a hash. */
  readonly key: string
  readonly row: KeyRow
}
