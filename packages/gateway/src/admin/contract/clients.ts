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
  /** The target whose own endpoint the client uses; absent for the common endpoint. */
  readonly target?: string
  readonly since: Timestamp
  readonly lastSeen: Timestamp
  readonly requests: number
  readonly inFlight: readonly InFlightCall[]
  readonly canDisconnect: boolean
  /** Whether it has a connection now, or was heard of in the last minute. Sessions outlive their clients. */
  readonly connected: boolean
}

/** `GET /api/waiting`: a call that goes on when its client has answered what the target asked; oldest first. */
export interface WaitingCall {
  /** The id of its wire record. */
  readonly id: number
  readonly since: Timestamp
  readonly method: string
  readonly name?: string
  readonly target?: string
  readonly client: { readonly name?: string; readonly principal?: string }
  /** The call of the playground that it is: it can be answered there. */
  readonly call?: string
  readonly questions: readonly { readonly method: string; readonly message?: string }[]
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
