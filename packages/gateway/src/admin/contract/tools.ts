import type { Bytes, Milliseconds, Timestamp } from './common.ts'

/** `GET /api/tools`: what is known of the calls of a tool since the gateway was started. */
export interface ToolFigures {
  readonly target: string
  /** The target's own name of it. */
  readonly name: string
  readonly calls: number
  readonly errors: number
  readonly p50: Milliseconds
  readonly p95: Milliseconds
  /** Of all answers whose length is known. */
  readonly bytes: Bytes
  readonly lastAt: Timestamp
}
