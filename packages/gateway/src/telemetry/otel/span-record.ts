import type { SpanKind } from '@opentelemetry/api'
import type { TraceAttributes } from '@gantry/mcp/tracing'

/** A span of which only this is known, as a parent or as the other end of a link. */
export interface SpanPlace {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  /** It came with the request. */
  readonly isRemote?: boolean
  /** The `tracestate` that came with it. */
  readonly state?: string | undefined
}

/** One span, in a form that can go to another thread. Times are in milliseconds since 1970. */
export interface SpanRecord {
  readonly traceId: string
  readonly spanId: string
  readonly parent: SpanPlace | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly began: number
  readonly ended: number
  readonly attributes: TraceAttributes
  readonly link?: SpanPlace | undefined
  readonly failed?: boolean | undefined
  readonly message?: string | undefined
}

/** Why the spans of a request are sent: its share, or because it failed or was slow. */
export type Kept = 'share' | 'error' | 'slow'

/** How many requests may be kept in a second besides those of the share. A flood of errors is no flood of spans. */
const MOST_IN_A_SECOND = 100

/** The decision at the end of a request. */
export class TailDecision {
  readonly #slow: number
  #second = 0
  #kept = 0

  /** `slow` in milliseconds. */
  constructor(slow: number) {
    this.#slow = slow
  }

  decide(sampled: boolean, failed: boolean, milliseconds: number): Kept | undefined {
    if (sampled) return 'share'
    const why = failed ? 'error' : milliseconds >= this.#slow ? 'slow' : undefined
    return why && this.#hasRoom() ? why : undefined
  }

  #hasRoom(): boolean {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#kept = 0
    }
    return this.#kept++ < MOST_IN_A_SECOND
  }
}
