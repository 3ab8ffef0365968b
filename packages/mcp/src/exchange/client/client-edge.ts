import { McpError } from '../../jsonrpc/index.ts'
import type { Discovery, Era, Revision } from '../../protocol/index.ts'
import { abortError } from '../cancellation.ts'
import type { Exchange, Notification, Outcome } from '../exchange.ts'
import type { OwnerOf } from './owner.ts'

/** Mints the integer ids of one wire. Edges and probes that share a wire share the minter. */
export type IdMinter = () => number

/** One connected server, whatever its era, seen as a `Handle`. */
export interface ClientEdge {
  readonly era: Era
  readonly version: Revision
  /** What the server said about itself: `server/discover`, or the same facts from the handshake. */
  readonly discovery: Discovery
  /** Resolves with the server's answer, errors included. Rejects with an McpError when there is none. */
  readonly handle: (exchange: Exchange) => Promise<Outcome>
  /** Tells a legacy server something (`notifications/roots/list_changed`). Modern servers are told nothing. */
  notify(notification: Notification): Promise<void>
  /** Whether calls that were given up may still make the server send something. */
  readonly hasUnanswered?: boolean | undefined
  /** Another connection takes over: who listens here is told to listen there. Calls under way go on. */
  retire?(reason: Error): void
  /** Called once when the connection is gone, with the reason when nobody asked for it. */
  onClose: ((reason: Error | undefined) => void) | undefined
  close(): Promise<void>
}

export interface ClientEdgeOptions {
  ids?: IdMinter | undefined
  /** Rounds of questions answered through `exchange.ask` before a request is given up. Default 16. */
  maxRounds?: number | undefined
  /** Log messages that no request in flight asked for. */
  onLog?: ((notification: Notification) => void) | undefined
  /** Any other notification that belongs to no request and to no listener. */
  onNotification?: ((notification: Notification) => void) | undefined
  /** Results keep the text that they came in, for a relay that changes none of them in place. */
  keepsText?: boolean | undefined
  /** Who a request belongs to. Default: its session and principal. A client of one user says that all are that user's. */
  ownerOf?: OwnerOf | undefined
  /** HTTP headers that a single request shall have besides those of its connection, whatever the era. */
  extraHeaders?: ((exchange: Exchange) => Record<string, string> | undefined) | undefined
}

export const DEFAULT_MAX_ROUNDS = 16

/** Some servers reject ids that are not integers, so we send nothing else. */
export function createIdMinter(): IdMinter {
  let last = 0
  return () => ++last
}

/** Waits for something shared: who gives up leaves it to the others. */
export async function orAbort<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return shared
  if (signal.aborted) throw abortError(signal)
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortError(signal))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([shared, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

export function tooManyRounds(method: string, limit: number): McpError {
  return new McpError(
    'too_many_rounds',
    `The server still asked for input after ${limit} rounds of ${method}; raise maxRounds if that is expected`,
    { details: { method, limit } },
  )
}
