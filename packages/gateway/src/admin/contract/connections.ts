import type { Timestamp } from './common.ts'

/** `GET /api/connections`: the accounts that people have connected at targets. Credentials are never shown. */
export interface ConnectionList {
  /** The first 1,000. */
  readonly connections: readonly ConnectionRow[]
  readonly total: number
}

export interface ConnectionRow {
  readonly id: string
  /** The owner: `person:SUBJECT`, `key:NAME` or `workload:SUBJECT`. */
  readonly as: string
  /** The issuer of the owner's tokens. */
  readonly issuer?: string
  readonly target: string
  /** The kind of account: a key that was pasted, or a login at the server. */
  readonly by: 'key' | 'login'
  readonly connectedAt: Timestamp
  /** Absent: it does not end by itself, or is renewed. */
  readonly expiresAt?: Timestamp
  /** To the minute; absent: not used yet. */
  readonly usedAt?: Timestamp
  /** False when the configuration no longer has this server, so that the account is unused. */
  readonly inUse: boolean
}
