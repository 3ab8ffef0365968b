import { McpError } from '@gantry/mcp/client'
import {
  isModern,
  LATEST_MODERN,
  ASKS_IN_ROUNDS,
  cancellationOf,
  orAbort,
  ProtocolError,
  type Exchange,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { TargetModel } from '../../model/index.ts'
import type { Instance } from './instance.ts'
import { LiveQuestions } from './live-questions.ts'
import { type Connection, itemOf, Items } from './isolation.ts'
import { legacyKey } from './pool.ts'
import type { Link } from '../link/link.ts'
import { TargetError } from '../target-error.ts'

const NEWER = LATEST_MODERN

/** How long a call waits for a connection in an era that its server does not name. */
const TRY_OLDER_ERA = 10_000

/**
 * Whether a server has the older era besides the newer one. `named`: `server/discover` says so. `possible`: it names
 * the newer era alone, which Python 2, FastMCP and Ruby do although they answer `initialize`. `needless`: it can ask
 * all clients in the newer era.
 */
type Knowledge = 'unknown' | 'named' | 'possible' | 'proved' | 'none' | 'needless' | 'refused'

/** Failures that say nothing about the era. */
const INCONCLUSIVE: ReadonlySet<string> = new Set([
  'network',
  'spawn_failed',
  'unauthorized',
  'forbidden',
  'oauth',
  'cancelled',
  'stopped',
  'busy',
])

/** What the connections of the two eras offer, where they differ: `tools NAME`, `resources URI`. */
export interface EraDifferences {
  readonly onlyOlder: ReadonlySet<string>
  readonly onlyNewer: ReadonlySet<string>
}

export const SAME: EraDifferences = { onlyOlder: new Set(), onlyNewer: new Set() }

/** How connections are made and ended. */
export interface EraHost {
  readonly model: TargetModel
  readonly pool: { get(key: string): Instance; drop(instance: Instance): Promise<void> }
  acquire(instance: Instance, exchange: Exchange): Link | Promise<Link>
}

/** What is known of the older era of one server, and which of its calls go there. */
export class OlderEra {
  /** What the connections of its two eras offer, where that is not the same. */
  differences: EraDifferences = SAME
  /** Whether the server is spoken to in the newer era. */
  hasNewer = false
  #knowledge: Knowledge = 'unknown'
  /** The era that the configuration insists on. */
  #insisted: string | undefined
  /** Whether some items can ask newer clients in the older era only. */
  asksLive = false
  readonly #live = new LiveQuestions()
  /** Calls that the server refused in the older era because their answer exists in the newer one only. */
  readonly #newerOnly = new Items()

  /** Whether the server may have it. */
  get #mayBeThere(): boolean {
    return this.#knowledge === 'named' || this.#knowledge === 'possible' || this.#knowledge === 'proved'
  }

  /** Whether only a try can tell. */
  get #isDoubtful(): boolean {
    return this.#knowledge === 'possible'
  }

  /** Learns from a connection that the gateway was free to choose the era of. */
  note({ kind, era }: TargetModel, link: Link): void {
    const isFree = era === 'auto' && (kind === 'stdio' || kind === 'url') && isModern(link.version)
    this.#insisted = era === 'auto' ? undefined : era
    const { supportedVersions, _meta } = link.discovery
    const isNamed = supportedVersions.some((version) => !isModern(version))
    const isNeeded = isNamed || _meta?.[ASKS_IN_ROUNDS] !== true
    this.#know(!isFree ? 'none' : !isNeeded ? 'needless' : isNamed ? 'named' : 'possible')
  }

  #know(knowledge: Knowledge): void {
    this.#knowledge = knowledge
    this.hasNewer = this.#mayBeThere || knowledge === 'refused' || knowledge === 'needless'
  }

  /** Whether the server speaks the older era too. Where it does not say so, that is tried. */
  async isThere(exchange: Exchange, host: EraHost): Promise<boolean> {
    await this.#look('', exchange, host)
    if (!this.#isDoubtful) return this.#mayBeThere
    const found = await this.#open('', exchange, host)
    // The connections of single callers are others.
    const { isolation } = host.model
    if (found && isolation !== 'auto' && isolation !== 'shared') void host.pool.drop(found)
    return found !== undefined
  }

  /** The same connection in the older era, where the server has both; made when it is first wanted. */
  async connectionFor(
    { key, isOwn = false }: Connection,
    exchange: Exchange,
    host: EraHost,
  ): Promise<Connection | undefined> {
    const older = { key: legacyKey(key), isOwn }
    if (isOwn) return (await this.isThere(exchange, host)) ? older : undefined
    await this.#look(key, exchange, host)
    return (await this.#open(key, exchange, host)) && older
  }

  async #look(key: string, exchange: Exchange, { model, pool, acquire }: EraHost): Promise<void> {
    if (this.#knowledge === 'unknown') this.note(model, await acquire(pool.get(key), exchange))
  }

  async #open(key: string, exchange: Exchange, { pool, acquire }: EraHost): Promise<Instance | undefined> {
    if (!this.#mayBeThere) return undefined
    const limit = this.#isDoubtful ? AbortSignal.timeout(TRY_OLDER_ERA) : undefined
    const older = pool.get(legacyKey(key))
    try {
      const opening = acquire(older, exchange)
      if (opening instanceof Promise) await (limit ? orAbort(opening, limit) : opening)
      this.#know('proved')
      return older
    } catch (thrown) {
      if (cancellationOf(exchange).aborted) throw thrown
      // The newer era does what it can.
      if (this.#failed(thrown)) void pool.drop(older)
      return undefined
    }
  }

  /** A connection in the older era failed. True when the server does not have that era. */
  #failed(thrown: unknown): boolean {
    if (!this.#isDoubtful || !isConclusive(thrown)) return false
    this.#know('refused')
    return true
  }

  /** Whether a call belongs on a connection of the older era, where there is one. */
  wants(exchange: Exchange): boolean {
    const isModernClient = isModern(exchange.client.version)
    const item = itemOf(exchange)
    // Rounds exist in the newer era only.
    if (item === undefined || isLaterRound(exchange)) return false
    const isAskable =
      canAnswer(exchange) && (isModernClient ? this.#live.has(item) : exchange.ask !== undefined)
    if (this.differences.onlyOlder.has(item)) return true
    return isAskable && !this.#newerOnly.has(item) && !this.differences.onlyNewer.has(item)
  }

  /** Whether a call to the newer era may fail because the server can ask its client in the older one only. */
  mayFailToAsk(exchange: Exchange): boolean {
    const isModernClient = isModern(exchange.client.version)
    return this.#mayBeThere && isModernClient && canAnswer(exchange) && !isLaterRound(exchange)
  }

  /** A call has failed so: the next one of its item goes to the older era. True when that is news. */
  learnLive(exchange: Exchange): boolean {
    const item = itemOf(exchange)
    this.asksLive = true
    return item !== undefined && this.#live.add(item)
  }

  /**
   * Whether a call was refused because its answer exists in the newer era only. Such an answer asks for input, and its
   * tool is made to be called again (FastMCP). The error has to name both the revision and the kind of answer: one that
   * only mentions that day is the tool's own, and calling again could do its work twice.
   */
  needsNewer(exchange: Exchange, outcome: Outcome): boolean {
    const item = itemOf(exchange)
    if (item === undefined || outcome.type !== 'error') return false
    const { message } = outcome.error
    if (!message.includes(NEWER) || !message.includes('InputRequiredResult')) return false
    this.#newerOnly.add(item)
    return true
  }

  /** Which connections there are and why, for operators; undefined where there is nothing to say. */
  get description(): string | undefined {
    const eras = this.#describeEras()
    return eras && eras + this.#live.description
  }

  #describeEras(): string | undefined {
    const who = 'older clients that can be asked questions'
    switch (this.#knowledge) {
      case 'named':
        return `Calls use ${NEWER}; ${who} get a connection of their own era, which the server names too.`
      case 'possible':
        return `Calls use ${NEWER}, the only revision that the server names; for ${who} "initialize" is tried once.`
      case 'proved':
        return `Calls use ${NEWER}; ${who} use a connection of their own era.`
      case 'refused':
        return `Calls of all clients use ${NEWER}: the server refused "initialize".`
      case 'needless':
        return `Calls of all clients use ${NEWER}: the server can ask all of them in it.`
    }
    return this.#insisted && `The configuration insists on the era "${this.#insisted}".`
  }
}

/** Whether the client can be asked something. Some servers that speak both eras ask live, and so in the older one only. */
function canAnswer({ client }: Exchange): boolean {
  const { elicitation, sampling, roots } = client.capabilities
  return (elicitation ?? sampling ?? roots) !== undefined
}

function isLaterRound({ params: { inputResponses, requestState } }: Exchange): boolean {
  return inputResponses !== undefined || requestState !== undefined
}

/** A connection that backs off has its failure as a cause. */
function isConclusive(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return true
  if (thrown instanceof McpError) return !INCONCLUSIVE.has(thrown.code)
  if (!(thrown instanceof TargetError)) return false
  return thrown.cause === undefined ? !INCONCLUSIVE.has(thrown.reason) : isConclusive(thrown.cause)
}
