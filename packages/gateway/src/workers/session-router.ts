import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Certified } from '../model/index.ts'

/** In the address to which clients of HTTP+SSE send their messages. */
const SSE_PARAMETER = 'gantry-sse'

/** The session that a request belongs to. */
export interface AskedSession {
  readonly id: string
  /** The session is only a stream (HTTP+SSE), and ends with it. */
  readonly isStream: boolean
}

/** A request that may be for another process, and whom the client certificate of its connection names. */
export interface Passed {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly certified: Certified | undefined
}

/** Finds sessions of older clients among several gateways. */
export interface SessionRouter {
  /** The id of a session that begins here. */
  mark(session: string): string
  isElsewhere(session: AskedSession): boolean
  /**
   * Passes a request on to the gateway that has its session. `here` is called when this gateway has the session now.
   */
  passOn(session: AskedSession, asked: Passed, here: () => void): void
}

export function sessionOf({ headers, url }: IncomingMessage): AskedSession | undefined {
  const header = headers['mcp-session-id']
  if (typeof header === 'string' && header !== '') return { id: header, isStream: false }
  const named = url?.includes(SSE_PARAMETER)
    ? new URLSearchParams(url.split('?', 2)[1]).get(SSE_PARAMETER)
    : undefined
  return named ? { id: named, isStream: true } : undefined
}
