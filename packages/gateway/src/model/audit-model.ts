import type { Secret } from './secret.ts'

/** The audit trail: what is written, where, and for how long it is kept. */
export interface AuditModel {
  readonly folder: string
  /** A call waits for its record, and is refused when it cannot be written. */
  readonly required: boolean
  /** Whether requests for lists are recorded, too. */
  readonly lists: boolean
  /** Whether arguments and results are recorded, with secrets masked. */
  readonly bodies: boolean
  /** A file is not longer than about this. */
  readonly maxFileBytes: number
  /** Files that were last written so long ago are removed, in milliseconds. */
  readonly keepFor: number
  /** How many bytes all files may have together. */
  readonly keepBytes: number
  /** How long an event may be unsafe from a crash of the machine, in milliseconds. */
  readonly sync: number
  readonly signEvery: number
  readonly stdout: boolean
  readonly http: AuditReceiver | undefined
  readonly otlp: AuditReceiver | undefined
}

/** Where events are sent to. */
export interface AuditReceiver {
  readonly url: string
  readonly headers: Readonly<Record<string, Secret>>
}
