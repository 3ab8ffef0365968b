import { Budget, type BudgetLimits } from '../../../protocol/callers.ts'
import { type Duration, type FormsOf, parseDuration, requireKnownOptions } from '../../../protocol/index.ts'
import { IncomingBodies, UnreadAnswers, type UnreadLimits } from '../../held-bytes.ts'

/** Limits on the bytes, sessions and time that callers of an HTTP endpoint may hold. */
export interface HttpLimits {
  /** Bodies over this many bytes are refused with 413. Default 16 MB. */
  readonly maxBodyBytes: number
  /** How long a body may take to arrive. Default a minute. */
  readonly bodyTimeout: Duration
  /** Bytes of bodies that are being received. Default 64 MB for a caller, 128 MB in all. */
  readonly receiving: BudgetLimits
  /** A client that reads nothing of its answer for this long is cut off. Default 30 seconds. */
  readonly stallTimeout: Duration
  /** Bytes of answers that wait for their readers. Default 64 MB for a caller, 256 MB in all. */
  readonly unread: BudgetLimits
  /** Told why the connection of a client was ended that does not read. */
  readonly onCutOff: UnreadLimits['onCutOff']
  /** Characters that sessions keep for clients that come back. Default 16 million for a caller, 64 million in all. */
  readonly events: BudgetLimits
  /** Sessions and streams of legacy clients. Default 10,000 in all, half of them for one caller. */
  readonly sessions: BudgetLimits
}

const MB = 1024 * 1024
const SHARES = { perCaller: 1, total: 1 } as const
const LIMITS: FormsOf<HttpLimits> = {
  maxBodyBytes: 1,
  bodyTimeout: 1,
  receiving: SHARES,
  stallTimeout: 1,
  unread: SHARES,
  onCutOff: 1,
  events: SHARES,
  sessions: SHARES,
}

/** Counts what callers hold. Several endpoints of one process can share one. */
export class HttpMeter {
  readonly bodies: IncomingBodies
  readonly answers: UnreadAnswers
  readonly sessions: Budget
  readonly events: Budget

  constructor(limits: Partial<HttpLimits> = {}) {
    requireKnownOptions('meter', LIMITS, limits)
    const maxBytes = limits.maxBodyBytes ?? 16 * MB
    // A single body of the greatest length must fit.
    const share = Math.max(64 * MB, maxBytes)
    this.bodies = new IncomingBodies({
      maxBytes,
      timeout: parseDuration(limits.bodyTimeout ?? '1m'),
      receiving: limits.receiving ?? { perCaller: share, total: 2 * share },
    })
    this.answers = new UnreadAnswers({
      stallTimeout: limits.stallTimeout ?? '30s',
      held: limits.unread ?? { perCaller: 64 * MB, total: 256 * MB },
      onCutOff: limits.onCutOff,
    })
    this.events = new Budget(limits.events ?? { perCaller: 16 * MB, total: 64 * MB })
    this.sessions = new Budget(limits.sessions ?? { perCaller: 5_000, total: 10_000 })
  }
}
