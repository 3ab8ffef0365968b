import type { Bytes, Milliseconds, Timestamp } from './common.ts'

/** `GET /api/tools`: the time up to now. */
export type UsageRange = '1h' | '24h' | '7d'

/** A row for each tool, or for each tool and client, or for each tool and principal. */
export type UsagePer = 'tool' | 'client' | 'principal'

/** Figures of the calls of a tool in that time. */
export interface ToolFigures {
  readonly target: string
  /** The target's own name of it; absent for all tools that were too many to count apart. */
  readonly name?: string
  /** Present in rows for each client. */
  readonly client?: string
  /** Present in rows for each principal. */
  readonly principal?: string
  readonly calls: number
  readonly errors: number
  readonly p50: Milliseconds
  readonly p95: Milliseconds
  /** About the length of all arguments. */
  readonly bytesIn: Bytes
  /** The bytes of all answers whose length is known. */
  readonly bytesOut: Bytes
  /** Estimated from the bytes. */
  readonly tokensIn: number
  readonly tokensOut: number
  readonly lastAt: Timestamp
}
