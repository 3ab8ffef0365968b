import type { Timestamp } from './common.ts'

/** `GET /api/log`: the last lines of the gateway's log, newest first; what is printed does not matter. */
export interface LogLine {
  readonly seq: number
  readonly at: Timestamp
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly target?: string
  /** Further facts, as `key=value`. */
  readonly detail?: string
}
