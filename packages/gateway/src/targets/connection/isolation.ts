import { McpError } from '@gantry/mcp/client'
import { isModern, type Exchange } from '@gantry/mcp/exchange'
import type { Isolation, TargetModel } from '../../model/index.ts'
import type { TargetConnection } from '../connected/target-connection.ts'
import { TargetExchange } from '../connected/target-exchange.ts'
import { isPersonal } from '../personal.ts'
import type { Instance } from './instance.ts'
import {
  callerKey,
  continuesCall,
  instanceKey,
  isCallKey,
  isLegacyKey,
  isSharedKey,
  legacyKey,
  sameInAuto,
} from './pool.ts'

/** Methods that a server may ask questions for, the list that each belongs to, and the member that names the item. */
const ASKING: Readonly<Record<string, readonly [list: string, member: 'name' | 'uri']>> = {
  'tools/call': ['tools', 'name'],
  'prompts/get': ['prompts', 'name'],
  'resources/read': ['resources', 'uri'],
}

/** The object of a call, as `tools NAME` or `resources URI`; undefined when a server cannot ask questions for it. */
export function itemOf({ method, params }: Exchange): string | undefined {
  const asking = Object.hasOwn(ASKING, method) ? ASKING[method] : undefined
  return asking && `${asking[0]} ${String(params[asking[1]])}`
}

/** The item that is remembered as asking questions. All resources count as one item, because callers choose URIs. */
export function askingItemOf(exchange: Exchange): string | undefined {
  return exchange.method === 'resources/read' ? 'resources' : itemOf(exchange)
}

/** Whether the client can be asked something. */
export function canAnswer({ client }: Exchange): boolean {
  const { elicitation, sampling, roots } = client.capabilities
  return (elicitation ?? sampling ?? roots) !== undefined
}

/** Further items are not remembered: each of their calls is treated like a first call. */
const MOST_REMEMBERED = 1000

/** Items of which something is known. Bounded, because callers choose names. */
export class Items {
  readonly #items = new Set<string>()

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  get isFull(): boolean {
    return this.#items.size >= MOST_REMEMBERED
  }

  has(item: string | undefined): boolean {
    return item !== undefined && this.#items.has(item)
  }

  /** Returns true when this was not known before. */
  add(item: string): boolean {
    if (this.isFull || this.#items.has(item)) return false
    this.#items.add(item)
    return true
  }
}

/** Which connection a caller gets. One of its own is for this call alone. */
export interface Connection {
  readonly key: string
  readonly isOwn?: boolean
}

/** The connection that all callers share. */
const SHARED: Connection = { key: '' }

/** The connections that there are, and whether the server is spoken to in the newer era. */
interface Choice {
  readonly pool: { find(key: string): Occupied | undefined; readonly all: readonly Occupied[] }
  readonly olderEra: {
    readonly hasNewer: boolean
    readonly description: string | undefined
    mayFailToAsk(exchange: Exchange): boolean
    learnLive(exchange: Exchange): boolean
  }
}

export interface ConnectionChoiceHost {
  model(): TargetModel
  current(): Choice
  /** Whether the item of a call was called before: it has ended, or has asked. */
  isKnown(exchange: Exchange): boolean
  /** Something was learned that changes where calls go; in words for operators. */
  learned(message: string): void
  /** The server has asked its first question, and until then all callers shared a connection. */
  foundAsking(): void
}

/** Which connection of a target each call gets, by the configuration or by what was learned of the server. */
export class ConnectionChoice {
  readonly #host: ConnectionChoiceHost
  readonly #learned = new LearnedIsolation()
  #hasToldOfOlder = false

  constructor(host: ConnectionChoiceHost) {
    this.#host = host
  }

  /** `wantsOlder`: the call goes to the older era of a server that has both. */
  for(exchange: Exchange, wantsOlder: boolean): Connection {
    const { isolation } = this.#host.model()
    const current = this.#host.current()
    if (isolation === 'auto') return this.#learned.connectionFor(exchange, wantsOlder, current)
    const connection = fixedConnection(isolation, exchange)
    return this.#needsItsOwn(connection, exchange, wantsOlder, current) ? ownConnection(exchange) : connection
  }

  /**
   * With `user`, the sessions of a user share a connection. With `user` and `session`, callers without a name and a
   * session share a connection. A question there could be for any of them. So a call that is known to ask gets its own
   * connection. After the server's first question, a call that was never made before gets its own connection, too.
   * Connections with the account of a person stay as they are: they end when the account is taken back.
   */
  #needsItsOwn(
    { key, isOwn }: Connection,
    exchange: Exchange,
    wantsOlder: boolean,
    { pool, olderEra: { hasNewer } }: Choice,
  ): boolean {
    if (isOwn || isSharedKey(key) || key === callerKey(exchange) || isPersonal(this.#host.model()))
      return false
    if (continuesCall(exchange)) return true
    if (!this.#mayAsk(exchange) || (hasNewer && !wantsOlder)) return false
    const used = pool.find(hasNewer ? legacyKey(key) : key)
    return used !== undefined && (used.calls > 0 || used.parked > 0)
  }

  #mayAsk(exchange: Exchange): boolean {
    if (this.hasAsked(exchange)) return true
    const isNew = askingItemOf(exchange) !== undefined && canAnswer(exchange) && !this.#host.isKnown(exchange)
    return isNew && this.#learned.hasAskedAnything
  }

  /**
   * Whether a question for this call could belong to another caller's call. Only servers of the older era, on channels
   * that all calls share, ask without naming the call.
   */
  isAmbiguous(exchange: Exchange, wantsOlder: boolean): boolean {
    const { isolation, kind } = this.#host.model()
    if ((kind !== 'stdio' && kind !== 'url') || isolation === 'shared' || isolation === 'call') return false
    if (continuesCall(exchange)) return false
    if (isolation === 'auto' ? this.#learned.asks : instanceKey(isolation, exchange) === callerKey(exchange))
      return false
    const { pool, olderEra } = this.#host.current()
    if (olderEra.hasNewer && !wantsOlder) return false
    return !pool.all.some(({ connection }) => connection?.transport === 'http')
  }

  /** Whether each caller has a connection of its own because the server asks questions. */
  get isLearned(): boolean {
    return this.#host.model().isolation === 'auto' && this.#learned.asks
  }

  /** Whether the server has asked something for the same item. */
  hasAsked(exchange: Exchange): boolean {
    return this.#learned.hasAsked(exchange)
  }

  /** The server asked on a channel that several calls share: one of these may be why. */
  asked(instance: Instance, exchanges: readonly Exchange[], isRefused: boolean): void {
    if (instance.connection && isModern(instance.connection.version)) return this.#refused(exchanges)
    this.#learned.asked(exchanges)
    const { isolation } = this.#host.model()
    // A question on the connection of a single caller teaches nothing about shared connections.
    const isShared = isolation === 'auto' && isSharedKey(instance.key)
    if (isShared && this.#learnAsking(isRefused ? undefined : exchanges[0])) this.#host.foundAsking()
  }

  /** The server has asked in an earlier run. */
  recallAsking(): void {
    this.#learnAsking(undefined)
  }

  #learnAsking(exchange: Exchange | undefined): boolean {
    if (!this.#learned.learn(exchange)) return false
    this.#host.learned(
      `${this.#host.model().name} asks its clients questions: from now on each session has a connection of its own. ` +
        'Set "isolation" to decide this yourself',
    )
    return true
  }

  /**
   * A server asked a question in the way of the older era on a connection of the newer era. It gets no answer, so its
   * call would never end.
   */
  #refused([exchange, ...others]: readonly Exchange[]): void {
    if (!exchange || others.length > 0 || !this.#host.current().olderEra.mayFailToAsk(exchange)) return
    this.learnLive(exchange)
    const message = 'It asked a question in a way that its connection does not have'
    if (exchange instanceof TargetExchange) exchange.abort(new McpError('missing_capability', message))
  }

  /** The server can ask for this item in the older era only. */
  learnLive(exchange: Exchange): void {
    if (this.#host.current().olderEra.learnLive(exchange)) this.#tellOfOlder()
  }

  /** A call of this client goes to the older era of a server that has both. */
  usesOlder(exchange: Exchange): void {
    if (!this.#hasToldOfOlder && isModern(exchange.client.version)) this.#tellOfOlder()
  }

  #tellOfOlder(): void {
    this.#hasToldOfOlder = true
    const { description } = this.#host.current().olderEra
    const advice = 'Set "era" to decide this yourself'
    this.#host.learned(`${this.#host.model().name} speaks both eras. ${description} ${advice}`)
  }
}

/** A connection as far as others who use it matter. */
interface Occupied {
  readonly key: string
  readonly calls: number
  readonly parked: number
  readonly starts: number
  readonly inUse: boolean
  readonly connection: Pick<TargetConnection, 'edge' | 'transport'> | undefined
}

/**
 * `isolation: auto` shares one connection until the server asks something; then each session or principal has its own.
 */
class LearnedIsolation {
  #asks = false
  /** The caller that keeps the connection which was shared until then: the server's state for that caller is there. */
  #heir: string | undefined
  /** Whether a call of a caller that cannot be told from others is under way on the shared connection. */
  #hasGuest = false
  /** The objects for which the server has asked questions. */
  readonly #asking = new Items()

  get asks(): boolean {
    return this.#asks
  }

  /** The server asked for this exchange, or for one of several callers. Returns true when this was not known before. */
  learn(exchange: Exchange | undefined): boolean {
    const isNews = !this.#asks
    this.#asks = true
    if (!exchange) this.#heir = undefined
    else if (isNews) this.#heir = callerKey(exchange)
    return isNews
  }

  get hasAskedAnything(): boolean {
    return !this.#asking.isEmpty
  }

  /** Whether the server has asked something for the same item. */
  hasAsked(exchange: Exchange): boolean {
    return this.#asking.has(askingItemOf(exchange))
  }

  /** The server asked for one of these. */
  asked(exchanges: readonly Exchange[]): void {
    for (const item of exchanges.map(askingItemOf)) if (item !== undefined) this.#asking.add(item)
  }

  /** `wantsOlder`: the call goes to the older era of a server that has both. */
  connectionFor(exchange: Exchange, wantsOlder: boolean, { pool, olderEra }: Choice): Connection {
    if (!this.#asks) return SHARED
    const { hasNewer } = olderEra
    if (continuesCall(exchange)) return ownConnection(exchange)
    // Questions that do not say whose they are come on connections of the older era only.
    if (!wantsOlder && hasNewer) return SHARED
    const key = callerKey(exchange)
    // The tasks of a caller that has no connection yet were made on the shared connection.
    if (exchange.method.startsWith('tasks/') && (key === undefined || !pool.find(key))) return SHARED
    if (key !== undefined && key !== this.#heir) return { key }
    return this.#sharesWith(exchange, key, pool.find(hasNewer ? legacyKey('') : ''))
      ? SHARED
      : key === undefined
        ? freeConnection(exchange, pool.all, hasNewer)
        : { key }
  }

  /** Whether a caller may have the shared connection now. Anonymous callers cannot be told apart: they take turns. */
  #sharesWith(exchange: Exchange, key: string | undefined, shared: Occupied | undefined): boolean {
    const isIdle = shared === undefined || (shared.calls === 0 && shared.parked === 0)
    if (isIdle) this.#hasGuest = false
    const isPossible = key === undefined ? isIdle : !this.#hasGuest
    if (!isPossible || (this.#isTold(exchange) && mayServeOthers(shared, exchange))) return false
    this.#hasGuest ||= key === undefined
    return true
  }

  /**
   * Whether a call needs a connection where questions and log messages can only belong to it. A call that was never
   * asked anything, and wants no log, can share a connection with a call that was given up, and finds the server's
   * state there.
   */
  #isTold(exchange: Exchange): boolean {
    return exchange.logLevel !== undefined || this.hasAsked(exchange)
  }
}

function mayServeOthers(one: Occupied | undefined, exchange: Exchange): boolean {
  return one?.connection?.edge?.mayServeOthers?.(exchange) === true
}

/**
 * A connection beside the shared one, which an anonymous caller has for a single call: an idle connection, or a new
 * one.
 */
function freeConnection(exchange: Exchange, all: readonly Occupied[], isLegacy: boolean): Connection {
  const free = all.find(
    (one) =>
      isCallKey(one.key) &&
      isLegacyKey(one.key) === isLegacy &&
      !one.inUse &&
      // After a restart the ids of tasks begin anew.
      one.connection !== undefined &&
      one.starts === 1 &&
      !mayServeOthers(one, exchange),
  )
  return free ? { key: isLegacy ? sameInAuto(free.key) : free.key, isOwn: true } : ownConnection(exchange)
}

/** With any other isolation than `auto`. */
function fixedConnection(isolation: Isolation, exchange: Exchange): Connection {
  return isolation === 'call' ? ownConnection(exchange) : { key: instanceKey(isolation, exchange) }
}

function ownConnection(exchange: Exchange): Connection {
  return { key: instanceKey('call', exchange), isOwn: true }
}
