import type { AuditEntry } from './audit.ts'
import type { Timestamp } from './common.ts'
import type { ConfigStatus } from './config.ts'
import type { LogLine } from './log.ts'
import type { StderrLine, TargetCard, TrafficStats } from './targets.ts'
import type { TrialReport } from './trials.ts'
import type { WireRecord } from './wire.ts'

/**
 * `GET /api/events?topics=targets,catalog,…`: server-sent events. Every event has an id; a client that comes back
 * with `Last-Event-ID` gets what it missed, or `reset` when that is no longer known. Browsers use `fetch`, not
 * `EventSource`, which cannot send the `Authorization` header.
 *
 * Messages of exchanges are kept only while a client has the topic `wire`. `exchanges` has the same events and keeps no
 * messages: viewers, who may not read them, get it in the place of `wire`.
 */
export type Topic =
  | 'targets'
  | 'stderr'
  | 'catalog'
  | 'wire'
  | 'exchanges'
  | 'clients'
  | 'config'
  | 'stats'
  | 'trials'
  | 'playground'
  | 'log'
  | 'audit'

/** The SSE `event:` field is `type`; `data:` is the whole object as JSON. */
export type AdminEvent = { readonly at: Timestamp } /** First on every stream. */ & (
  | { readonly type: 'hello'; readonly startedAt: Timestamp; readonly version: string }
  /** Something was missed: fetch everything anew. */
  | { readonly type: 'reset' }
  | { readonly type: 'target'; readonly target: TargetCard }
  /** Steps of its handshake or its connections changed: `GET /api/targets/{name}` has them. */
  | { readonly type: 'target-steps'; readonly name: string }
  | { readonly type: 'target-removed'; readonly name: string }
  | { readonly type: 'stderr'; readonly target: string; readonly lines: readonly StderrLine[] }
  | { readonly type: 'catalog'; readonly generation: number; readonly newestChange: number }
  /** Began, got messages or ended; at most ten times a second, each record once with its newest state. */
  | { readonly type: 'wire'; readonly records: readonly WireRecord[] }
  | { readonly type: 'clients' }
  /** A call waits for an answer, or waits no more. It belongs to the topic `clients`. */
  | { readonly type: 'waiting' }
  /** A call waits for approval, or was decided or made. It belongs to the topic `clients`. */
  | { readonly type: 'approvals' }
  | { readonly type: 'config'; readonly status: ConfigStatus }
  /** Sent every two seconds; `targets` lists the targets that were called since the last event. */
  | {
      readonly type: 'stats'
      readonly total: TrafficStats
      readonly targets: { readonly [name: string]: TrafficStats }
      readonly clients: number
      readonly inFlight: number
      /** As in `GatewayInfo`. */
      readonly unheard?: readonly string[]
    }
  | { readonly type: 'trial'; readonly trial: TrialReport }
  | { readonly type: 'playground'; readonly id: string }
  | { readonly type: 'log'; readonly lines: readonly LogLine[] }
  /** New in the audit trail, oldest first; the newest 200 when there are more at once. */
  | { readonly type: 'audit'; readonly events: readonly AuditEntry[] }
)
