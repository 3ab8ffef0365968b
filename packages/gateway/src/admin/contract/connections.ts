import type { Timestamp } from './common.ts'

/** `GET /api/connections`: the accounts that people have connected at targets. Credentials are never shown. */
export interface ConnectionList {
  /** The first 1,000. */
  readonly connections: readonly ConnectionRow[]
  readonly total: number
}

export interface ConnectionRow {
  readonly id: string
  /** Whose it is: `person:SUBJECT`, `key:NAME` or `workload:SUBJECT`. */
  readonly as: string
  /** Who issued the tokens of this person. */
  readonly issuer?: string
  readonly target: string
  /** What was given: a key that was pasted, or a login at the server. */
  readonly by: 'key' | 'login'
  readonly connectedAt: Timestamp
  /** Absent: it does not end by itself, or is renewed. */
  readonly expiresAt?: Timestamp
  /** To the minute; absent: not used yet. */
  readonly usedAt?: Timestamp
  /** False when the configuration has no such server any more: the account goes nowhere. */
  readonly inUse: boolean
}
