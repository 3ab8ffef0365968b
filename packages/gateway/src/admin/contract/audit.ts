import type { JsonObject, Milliseconds, Timestamp } from './common.ts'

/** One event of the audit trail. */
export interface AuditEntry {
  readonly id: string
  readonly at: Timestamp
  /** The method of a request, or what else happened: `sign-in`, `target/start`, `configuration/change`… */
  readonly operation: string
  /** Kind and subject, such as `key:ci`; empty when there is no credential. */
  readonly who: string
  readonly client?: string
  /** An address, or `stdio`, `console`, `gateway`. */
  readonly from: string
  readonly target?: string
  /** The tool, prompt or resource, as its target names it. */
  readonly object?: string
  readonly decision?: 'allowed' | 'denied'
  /** The rule that decided. */
  readonly rule?: string
  readonly outcome: string
  readonly detail?: string
  readonly durationMs?: Milliseconds
  /** As it is kept (OCSF). */
  readonly event: JsonObject
}

/** `GET /api/audit`. */
export interface AuditList {
  /** Whether a trail is kept at all. */
  readonly isOn: boolean
  /** Newest first. */
  readonly events: readonly AuditEntry[]
  /** Why nothing can be written now. */
  readonly failure?: string
  /** Events that could not be kept since the start. */
  readonly lost: number
}

/** `POST /api/audit/verify`. */
export interface AuditReport {
  readonly ok: boolean
  readonly chains: readonly {
    readonly chain: string
    readonly events: number
    readonly from: number
    readonly to: number
    readonly signed: number
    /** Its process ended in order. */
    readonly isClosed: boolean
    readonly isTorn: boolean
  }[]
  readonly faults: readonly { readonly file: string; readonly line?: number; readonly problem: string }[]
}
