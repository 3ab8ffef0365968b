import type { Sealer } from '../../../exchange/index.ts'
import type { Duration, OptionForm } from '../../../protocol/index.ts'
import type { EventLogLimits } from './event-log.ts'
import type { GateOptions } from './request-headers.ts'
import type { Guard } from './reply.ts'
import type { HttpLimits, HttpMeter } from './meter.ts'
import type { SessionLimits } from './sessions.ts'

export interface HttpServiceOptions extends GateOptions {
  guard?: Guard
  /** Legacy clients get no session: nothing is kept, and nothing can be pushed to them. */
  statelessLegacy?: boolean
  /** Serves the HTTP+SSE transport of 2024-11-05 on the same endpoint; on unless switched off. */
  sse?: boolean
  sessions?: Partial<SessionLimits>
  /** Bodies over this many bytes are refused with 413. */
  maxBodyBytes?: number
  /** Limits on what callers hold: bodies on their way in, unread answers, sessions. */
  limits?: Partial<Omit<HttpLimits, 'maxBodyBytes'>>
  /** Counts what callers hold on several endpoints together; `maxBodyBytes` and `limits` are its own then. */
  meter?: HttpMeter
  /** Makes session ids that survive a restart and work on every replica. */
  sealer?: Sealer
  /** Tells this endpoint from others with the same sealer: a session of one endpoint is not valid at another. */
  place?: string
  /** Adds `~` and something to the id of a session: several processes can tell by it whose session it is. */
  markSessionId?: (id: string) => string
  events?: Partial<EventLogLimits>
  /** Told about bodies that could not be read. */
  onProtocolError?: (error: { code: number; message: string }) => void
  /** Silence after which a stream gets a comment line; 0 switches it off. Default 15 s. */
  keepAlive?: Duration
}

export const HANDLER_OPTIONS: Record<keyof HttpServiceOptions | 'serverContext', OptionForm> = {
  allowedHosts: 1,
  allowedOrigins: 1,
  isGated: 1,
  guard: 1,
  statelessLegacy: 1,
  sse: 1,
  sessions: { idleTimeout: 1, maxSessions: 1, settings: 1 },
  maxBodyBytes: 1,
  limits: 1,
  meter: 1,
  sealer: 1,
  place: 1,
  markSessionId: 1,
  events: { maxEvents: 1, maxCharacters: 1, answers: 1 },
  onProtocolError: 1,
  keepAlive: 1,
  serverContext: 1,
}
