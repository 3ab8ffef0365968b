import { principalKey, type Exchange } from '@gantry/mcp/exchange'
import type { Instance } from './instance.ts'
import { instanceKey } from './isolation.ts'

/** Which connection a caller gets. One of its own is for this call alone. */
export interface Connection {
  readonly key: string
  readonly isOwn?: boolean
}

/** The connection of everybody. */
export const SHARED: Connection = { key: '' }

export function ownConnection(exchange: Exchange): Connection {
  return { key: instanceKey('call', exchange), isOwn: true }
}

/** Shares one connection until the server asks something; then each session or principal has its own. */
export class LearnedIsolation {
  #asks = false
  /** Who goes on with the connection that was shared until then: what the server keeps for that caller is there. */
  #heir: string | undefined
  /** Whether a caller that cannot be told from others has the shared connection at present. */
  #hasGuest = false

  get asks(): boolean {
    return this.#asks
  }

  /** The server asked for this exchange, or for one of several callers. True when that is news. */
  learn(exchange: Exchange | undefined): boolean {
    const isNews = !this.#asks
    this.#asks = true
    if (!exchange) this.#heir = undefined
    else if (isNews) this.#heir = callerKey(exchange)
    return isNews
  }

  connectionFor(exchange: Exchange, main: Instance | undefined): Connection {
    if (!this.#asks) return SHARED
    const key = callerKey(exchange)
    if (key !== undefined && key !== this.#heir) return { key }
    // Anonymous callers cannot be told apart: one at a time, each of them may have the shared connection.
    if (isFree(main)) this.#hasGuest = key === undefined
    else if (key === undefined) return ownConnection(exchange)
    return key !== undefined && this.#hasGuest ? { key } : SHARED
  }
}

export function callerKey({ session, auth }: Exchange): string | undefined {
  if (session !== undefined) return `session:${session}`
  return auth ? `user:${principalKey(auth.principal)}` : undefined
}

/** Whether no call of anybody else can ask here. */
function isFree(main: Instance | undefined): boolean {
  return main === undefined || (main.calls === 0 && main.parked === 0 && main.link?.hasUnanswered !== true)
}
