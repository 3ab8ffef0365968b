import type { Era, JsonObject, Milliseconds, Timestamp } from './common.ts'

export interface ClientList {
  readonly clients: readonly ClientRow[]
}

/** A user of the gateway: a legacy session, or all recent modern requests of one identity and principal. */
export interface ClientRow {
  readonly id: string
  readonly kind: 'session' | 'sse' | 'stdio' | 'stateless' | 'playground'
  readonly era: Era
  readonly revision: string
  readonly info?: { readonly name: string; readonly version: string; readonly title?: string }
  readonly capabilities: JsonObject
  readonly principal?: string
  /** The target whose own endpoint it uses; absent for the common one. */
  readonly target?: string
  readonly since: Timestamp
  readonly lastSeen: Timestamp
  readonly requests: number
  readonly inFlight: readonly InFlightCall[]
  readonly canDisconnect: boolean
}

export interface InFlightCall {
  /** The id of its wire record; `POST /api/calls/{id}/cancel` ends it. */
  readonly id: number
  readonly method: string
  readonly name?: string
  readonly target?: string
  readonly startedAt: Timestamp
  readonly elapsed: Milliseconds
}
