import { McpError } from '@gantry/mcp/client'
import { isModern, type Exchange } from '@gantry/mcp/exchange'
import type { Isolation, TargetModel } from '../../model/index.ts'
import type { Link } from '../link/link.ts'
import { TargetExchange } from '../link/target-exchange.ts'
import { type Connection, FirstCalls, itemOf, Items } from './first-calls.ts'
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

/** The connection that all callers share. */
const SHARED: Connection = { key: '' }

/** The connections that there are, and whether the server is spoken to in the newer era. */
interface Choice {
  readonly pool: {
    find(key: string): Occupied | undefined
    get(key: string): Instance
    readonly all: readonly Occupied[]
  }
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
  acquire(instance: Instance, exchange: Exchange): Link | Promise<Link>
  /** Something was learned that changes where calls go; in words for operators. */
  learned(message: string): void
}

/** Which connection of a target each call gets, by the configuration or by what was learned of the server. */
export class ConnectionChoice {
  readonly #host: ConnectionChoiceHost
  readonly #learned = new LearnedIsolation()
  #hasToldOfOlder = false
  /** The first calls of what the server offers. */
  readonly first: FirstCalls = new FirstCalls({
    hasAsked: (exchange) => this.hasAsked(exchange),
    mayMix: (connection, exchange) => this.#mayMix(connection, exchange),
  })

  constructor(host: ConnectionChoiceHost) {
    this.#host = host
  }

  /** Whether a connection may have calls of several callers, and questions that do not say whose they are. */
  #mayMix({ key }: Connection, exchange: Exchange): boolean | Promise<boolean> {
    const { isolation } = this.#host.model()
    if (isolation === 'shared' || this.isLearned || !isOfSeveral(key)) return false
    const asksUnnamed = (link: Link): boolean => link.edge !== undefined && !isModern(link.version)
    const found = this.#host.acquire(this.#host.current().pool.get(key), exchange)
    // A failure is for the call itself to meet.
    return found instanceof Promise ? found.then(asksUnnamed, () => false) : asksUnnamed(found)
  }

  /** A connection of the same era as another one, for a call that must not meet those of others there. */
  apart({ key }: Connection, exchange: Exchange): Connection {
    const isLegacy = isLegacyKey(key)
    const own = callerKey(exchange)
    const { pool } = this.#host.current()
    const apart = own === undefined ? freeConnection(exchange, pool.all, isLegacy) : { key: own }
    return isLegacy ? { ...apart, key: legacyKey(apart.key) } : apart
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
   * Callers without a name and a session have one connection with `session` and `user`, and cannot be told apart there:
   * a question could be for any of them. Where the server asks, a call joins others only if it is known to ask nothing.
   */
  #needsItsOwn(
    { key, isOwn }: Connection,
    exchange: Exchange,
    wantsOlder: boolean,
    { pool, olderEra: { hasNewer } }: Choice,
  ): boolean {
    if (isOwn || isSharedKey(key) || callerKey(exchange) !== undefined) return false
    if (continuesCall(exchange)) return true
    if (!this.#learned.hasAskedAnything || !this.first.mayAsk(exchange) || (hasNewer && !wantsOlder))
      return false
    const used = pool.find(hasNewer ? legacyKey(key) : key)
    return used !== undefined && (used.calls > 0 || used.parked > 0)
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
    if (instance.link && isModern(instance.link.version)) return this.#refused(exchanges)
    this.#learned.asked(exchanges)
    const { isolation, name } = this.#host.model()
    const heir = isRefused || !isSharedKey(instance.key) ? undefined : exchanges[0]
    const isNews = isolation === 'auto' && this.#learned.learn(heir)
    this.first.asked()
    if (!isNews) return
    this.#host.learned(
      `${name} asks its clients questions: from now on each session has a connection of its own. ` +
        'Set "isolation" to decide this yourself',
    )
  }

  /** A server of the newer era asked as if it were the older one. It gets no answer, so its call would never end. */
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
  readonly link: Pick<Link, 'edge'> | undefined
}

/** `isolation: auto` shares one connection until the server asks something; then each session or principal has its own. */
class LearnedIsolation {
  #asks = false
  /** Who goes on with the connection that was shared until then: what the server keeps for that caller is there. */
  #heir: string | undefined
  /** Whether a call of a caller that cannot be told from others is under way on the shared connection. */
  #hasGuest = false
  /** What the server has asked questions for. */
  readonly #asking = new Items()

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

  get hasAskedAnything(): boolean {
    return !this.#asking.isEmpty
  }

  /** Whether the server has asked something for the same item. */
  hasAsked(exchange: Exchange): boolean {
    return this.#asking.has(itemOf(exchange))
  }

  /** The server asked for one of these. */
  asked(exchanges: readonly Exchange[]): void {
    for (const item of exchanges.map(itemOf)) if (item !== undefined) this.#asking.add(item)
  }

  /** `wantsOlder`: the call goes to the older era of a server that has both. */
  connectionFor(exchange: Exchange, wantsOlder: boolean, { pool, olderEra }: Choice): Connection {
    if (!this.#asks) return SHARED
    const { hasNewer } = olderEra
    if (continuesCall(exchange)) return ownConnection(exchange)
    // Questions that do not say whose they are come on connections of the older era only.
    if (!wantsOlder && hasNewer) return SHARED
    const key = callerKey(exchange)
    // The tasks of a caller that has no connection yet were made on the shared one.
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
   * Whether a call has to be where its questions and log messages can only be its own. One that was never asked
   * anything, and wants no log, loses nothing beside a call that was given up, and finds there what the server keeps.
   */
  #isTold(exchange: Exchange): boolean {
    return exchange.logLevel !== undefined || this.hasAsked(exchange)
  }
}

function mayServeOthers(connection: Occupied | undefined, exchange: Exchange): boolean {
  return connection?.link?.edge?.mayServeOthers?.(exchange) === true
}

/** A connection beside the shared one that an anonymous caller has for one call: an idle one, or a new one. */
function freeConnection(exchange: Exchange, all: readonly Occupied[], isLegacy: boolean): Connection {
  const free = all.find(
    (one) =>
      isCallKey(one.key) &&
      isLegacyKey(one.key) === isLegacy &&
      !one.inUse &&
      // After a restart the ids of tasks begin anew.
      one.link !== undefined &&
      one.starts === 1 &&
      !mayServeOthers(one, exchange),
  )
  return free ? { key: isLegacy ? sameInAuto(free.key) : free.key, isOwn: true } : ownConnection(exchange)
}

/** Whether callers that can be told apart may share a connection. One of a session is for that session alone. */
function isOfSeveral(key: string): boolean {
  return isSharedKey(key) || (isLegacyKey(key) ? sameInAuto(key) : key).startsWith('user:')
}

/** With any other isolation than `auto`. */
function fixedConnection(isolation: Isolation, exchange: Exchange): Connection {
  return isolation === 'call' ? ownConnection(exchange) : { key: instanceKey(isolation, exchange) }
}

function ownConnection(exchange: Exchange): Connection {
  return { key: instanceKey('call', exchange), isOwn: true }
}
