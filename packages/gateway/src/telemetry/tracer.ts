import type { Exchange, Outcome, Sending } from '@gantry/mcp/exchange'
import type { Revision } from '@gantry/mcp/server'
import type { TargetModel } from '../model/index.ts'
import type { OperationDurations } from './operation-durations.ts'

/** A request on its way through the gateway, as far as a trace looks at it. */
export interface TracedExchange extends Exchange {
  /** What it is about in the catalog; undefined for what the endpoint answers itself, and for what is not there. */
  readonly resolved: { readonly kind: string; readonly target: { readonly name: string } } | undefined
  /** As the client sent it. */
  readonly origin: Exchange
}

/** The connection that a target is asked on. */
export interface AskedLink {
  readonly version: Revision
  readonly transport: string
}

/** The spans of one request. They are written down cheaply; whether they are sent is decided when it has ended. */
export interface RequestTrace {
  readonly traceId: string
  /** From now on the gateway itself works at something that has a span; an empty name ends that. */
  enter(name: string): void
  /** Notes a span for something that the gateway itself did, from `began` (of `performance.now()`) until now. */
  step(name: string, began: number): void
  /** Begins the span of a request to a target. The target learns in `_meta` which span asked. */
  ask(exchange: Exchange, link: AskedLink, target: TargetModel): AskSpan
  end(outcome: Outcome, exchange: TracedExchange): void
}

/** The span of a request to a target. It ends once, in one of two ways. */
export interface AskSpan extends Sending {
  end(outcome: Outcome): void
  fail(thrown: unknown): void
}

/** A session that is over: of a client with the gateway, or of the gateway with a target. */
export interface TracedSession {
  readonly version: Revision
  readonly transport: string
  /** In milliseconds. */
  readonly lasted: number
  /** Undefined: a client's. */
  readonly target?: TargetModel | undefined
}

/** Follows requests. There is none when telemetry is off. */
export interface Tracer {
  /** Undefined for what is no request of a client. */
  begin(exchange: TracedExchange): RequestTrace | undefined
  readonly durations: OperationDurations
  sessionEnded(session: TracedSession): void
  /** Sends what is left. */
  close(): Promise<void>
}
