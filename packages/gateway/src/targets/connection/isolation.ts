import { randomUUID } from 'node:crypto'
import { principalKey, type Exchange } from '@gantry/mcp/exchange'
import type { Isolation } from '../../model/index.ts'

/** Which connection of a target a caller gets. The empty key is the one that everybody shares. */
export function instanceKey(isolation: Isolation, exchange: Pick<Exchange, 'session' | 'auth'>): string {
  switch (isolation) {
    case 'auto':
    case 'shared':
      return ''
    case 'user':
      return `user:${principalKey(exchange.auth?.principal)}`
    case 'session':
      // Modern requests have no session: what they share is their principal.
      return exchange.session === undefined
        ? `user:${principalKey(exchange.auth?.principal)}`
        : `session:${exchange.session}`
    case 'call':
      return `call:${randomUUID()}`
  }
}

const LEGACY = 'legacy|'

/** The key of the same connection in the older era, for a server that speaks both. */
export function legacyKey(key: string): string {
  return LEGACY + key
}

export function isLegacyKey(key: string): boolean {
  return key.startsWith(LEGACY)
}

/** The key without the era. */
export function sameInAuto(key: string): string {
  return key.slice(LEGACY.length)
}

/** Whether a connection belongs to one call. */
export function isCallKey(key: string): boolean {
  return (isLegacyKey(key) ? sameInAuto(key) : key).startsWith('call:')
}

/** Whether a connection belongs to nobody in particular. */
export function isSharedKey(key: string): boolean {
  return key === '' || key === LEGACY
}

/** A value that goes on with a call that has a connection of its own: the key of that connection precedes it. */
export const CALL_MARK: RegExp = /^@((?:legacy\|)?call:[0-9a-f-]{36})\.(.*)$/s

/** Whether a request goes on with such a call. */
export function continuesCall({ params: { requestState, taskId } }: Exchange): boolean {
  return isMarked(requestState) || isMarked(taskId)
}

function isMarked(value: unknown): boolean {
  return typeof value === 'string' && CALL_MARK.test(value)
}

/** Which connection a caller gets. One of its own is for this call alone. */
export interface Connection {
  readonly key: string
  readonly isOwn?: boolean
}

/** The connection of everybody. */
const SHARED: Connection = { key: '' }

/** The connections that there are, and whether the server is spoken to in the newer era. */
interface Choice {
  readonly pool: { find(key: string): Occupied | undefined }
  readonly olderEra: { readonly hasNewer: boolean }
}

/** A connection as far as others who use it matter. */
interface Occupied {
  readonly calls: number
  readonly parked: number
  readonly link: { readonly hasUnanswered?: boolean | undefined } | undefined
}

/** `isolation: auto` shares one connection until the server asks something; then each session or principal has its own. */
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

  /** `wantsOlder`: the call goes to the older era of a server that has both. */
  connectionFor(exchange: Exchange, wantsOlder: boolean, { pool, olderEra }: Choice): Connection {
    if (!this.#asks) return SHARED
    const { hasNewer } = olderEra
    if (continuesCall(exchange)) return ownConnection(exchange)
    // Questions that may be anybody's come on connections of the older era only.
    if (!wantsOlder && hasNewer) return SHARED
    const own = this.#learnedFor(exchange, pool.find(hasNewer ? legacyKey('') : ''))
    // The tasks of a caller that has no connection yet were made on the shared one.
    const isTask = exchange.method.startsWith('tasks/')
    return isTask && !pool.find(own.key) ? SHARED : own
  }

  #learnedFor(exchange: Exchange, shared: Occupied | undefined): Connection {
    const key = callerKey(exchange)
    if (key !== undefined && key !== this.#heir) return { key }
    // Anonymous callers cannot be told apart: one at a time, each of them may have the shared connection.
    if (isFree(shared)) this.#hasGuest = key === undefined
    else if (key === undefined) return ownConnection(exchange)
    return key !== undefined && this.#hasGuest ? { key } : SHARED
  }
}

/** With any other isolation than `auto`. */
export function fixedConnection(isolation: Isolation, exchange: Exchange): Connection {
  return isolation === 'call' ? ownConnection(exchange) : { key: instanceKey(isolation, exchange) }
}

function ownConnection(exchange: Exchange): Connection {
  return { key: instanceKey('call', exchange), isOwn: true }
}

export function callerKey({ session, auth }: Pick<Exchange, 'session' | 'auth'>): string | undefined {
  if (session !== undefined) return `session:${session}`
  return auth ? `user:${principalKey(auth.principal)}` : undefined
}

/** Whether no call of anybody else can ask here. */
function isFree(shared: Occupied | undefined): boolean {
  if (shared === undefined) return true
  return shared.calls === 0 && shared.parked === 0 && shared.link?.hasUnanswered !== true
}
