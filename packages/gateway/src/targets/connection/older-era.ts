import { McpError } from '@gantry/mcp/client'
import {
  INTERNAL_ERROR,
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
import { canAnswer, type Connection, itemOf, Items } from './isolation.ts'
import { legacyKey } from './pool.ts'
import type { TargetConnection } from '../connected/target-connection.ts'
import { TargetError } from '../target-error.ts'

const NEWER = LATEST_MODERN

/** The message of Python 2 when a tool returns something that the revision of its connection does not have. */
const INVALID_RESULT = 'Handler returned an invalid result'

/** Tasks that exist in the newer era only. */
const TASKS = 'io.modelcontextprotocol/tasks'

/** How long a call waits for a connection in an era that its server does not name; a program has to start first. */
const TRY_OLDER_ERA: Readonly<Partial<Record<TargetModel['kind'], number>>> = { stdio: 30_000, url: 10_000 }

/**
 * Whether a server has the older era besides the newer era. `named`: `server/discover` says so. `possible`: the server
 * names the newer era alone, as Python 2, FastMCP and Ruby do although they answer `initialize`. `needless`: the server
 * can ask all clients in the newer era.
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

/** The differences between the lists of the two eras: `tools NAME`, `resources URI`. */
export interface EraDifferences {
  readonly onlyOlder: ReadonlySet<string>
  readonly onlyNewer: ReadonlySet<string>
}

export const SAME: EraDifferences = { onlyOlder: new Set(), onlyNewer: new Set() }

/** How connections are made and ended. */
export interface EraHost {
  readonly model: TargetModel
  readonly pool: { get(key: string): Instance; drop(instance: Instance): Promise<void> }
  acquire(instance: Instance, exchange: Exchange): TargetConnection | Promise<TargetConnection>
}

/** Learns about the older era of a server, and chooses the calls that are sent in it. */
export class OlderEra {
  /** The differences between the lists of its two eras. */
  differences: EraDifferences = SAME
  /** Whether the server is spoken to in the newer era. */
  hasNewer = false
  /** Whether it may have the older era besides, as long as nothing else is known. */
  mayBeThere = true
  #knowledge: Knowledge = 'unknown'
  /** The era that the configuration insists on. */
  #insisted: string | undefined
  /** Why the calls of newer clients that can be asked use it too; undefined while they do not. */
  #reason: string | undefined
  /** Whether the server has tasks that exist in the newer era only. */
  #hasTasks = false
  /** Calls that the server refused in the older era because their answer exists in the newer one only. */
  readonly #newerOnly = new Items()

  /** Whether the server is known to have it, or may. */
  get #isLikely(): boolean {
    return this.mayBeThere && this.#knowledge !== 'unknown'
  }

  /** Whether only a try can tell. */
  get #isDoubtful(): boolean {
    return this.#knowledge === 'possible'
  }

  /** Learns from a connection that the gateway was free to choose the era of. */
  note({ kind, era }: TargetModel, connection: TargetConnection): void {
    const isFree = era === 'auto' && (kind === 'stdio' || kind === 'url') && isModern(connection.version)
    this.#insisted = era === 'auto' ? undefined : era
    const { supportedVersions, _meta } = connection.discovery
    const isNamed = supportedVersions.some((version) => !isModern(version))
    const isNeeded = isNamed || _meta?.[ASKS_IN_ROUNDS] !== true
    this.#hasTasks = connection.discovery.capabilities.extensions?.[TASKS] !== undefined
    this.#know(!isFree ? 'none' : !isNeeded ? 'needless' : isNamed ? 'named' : 'possible')
  }

  #know(knowledge: Knowledge): void {
    this.#knowledge = knowledge
    this.mayBeThere = knowledge === 'named' || knowledge === 'possible' || knowledge === 'proved'
    this.hasNewer = this.mayBeThere || knowledge === 'refused' || knowledge === 'needless'
  }

  /** Whether the server speaks the older era too. Where it does not say so, that is tried. */
  async isThere(exchange: Exchange, host: EraHost): Promise<boolean> {
    await this.#look('', exchange, host)
    if (!this.#isDoubtful) return this.#isLikely
    const found = await this.#open('', exchange, host)
    // Connections of single callers are not asked for here.
    const { isolation } = host.model
    if (found && isolation !== 'auto' && isolation !== 'shared') void host.pool.drop(found)
    return found !== undefined
  }

  /**
   * The connection of the same caller in the older era, where the server has both. It is made when it is first wanted.
   */
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

  async #open(
    key: string,
    exchange: Exchange,
    { model, pool, acquire }: EraHost,
  ): Promise<Instance | undefined> {
    if (!this.#isLikely) return undefined
    const limit = this.#isDoubtful ? AbortSignal.timeout(TRY_OLDER_ERA[model.kind] ?? 0) : undefined
    const older = pool.get(legacyKey(key))
    try {
      const opening = acquire(older, exchange)
      if (opening instanceof Promise) await (limit ? orAbort(opening, limit) : opening)
      this.#know('proved')
      return older
    } catch (thrown) {
      if (cancellationOf(exchange).aborted) throw thrown
      // The newer era is used as long as it can do the same.
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

  /** Whether a call should use the older era, if the server has it. `safe`: the call may be made twice. */
  wants(exchange: Exchange, safe: boolean): boolean {
    if (!this.mayBeThere) return false
    const item = itemOf(exchange)
    // Rounds exist in the newer era only.
    if (item === undefined || isLaterRound(exchange)) return false
    if (this.differences.onlyOlder.has(item)) return true
    if (!canAnswer(exchange) || this.#newerOnly.has(item) || this.differences.onlyNewer.has(item))
      return false
    return isModern(exchange.client.version) ? this.#isPreferred(safe) : exchange.ask !== undefined
  }

  /**
   * Whether calls of newer clients go to the older era. A server that asks live can ask only there. It reports that too
   * late: its tool has begun, and must not be called again unless that is safe. So the first unsafe call decides for
   * all later calls, because each era of a program has its own process, which may keep state.
   */
  #isPreferred(safe: boolean): boolean {
    if (!safe && !this.#hasTasks) this.#reason ??= 'many servers can ask live questions there only'
    return this.#reason !== undefined
  }

  /** Whether a call in the newer era may fail because the server can ask its client only in the older era. */
  mayFailToAsk(exchange: Exchange): boolean {
    const isModernClient = isModern(exchange.client.version)
    return this.#isLikely && isModernClient && canAnswer(exchange) && !isLaterRound(exchange)
  }

  /**
   * Called when a call has failed in this way: the next calls use the older era. Returns true when this was not known
   * before.
   */
  learnLive(exchange: Exchange): boolean {
    const isNews = this.#reason === undefined
    const what = JSON.stringify(exchange.params.name ?? exchange.params.uri)
    this.#reason = `the server can ask for ${what} there only`
    return isNews
  }

  /**
   * Whether a call was refused because its answer exists in the newer era only: such calls go there from now on.
   * `named`: the error names both the revision and the kind of answer (FastMCP). Such an answer asks for input, and its
   * tool is made to be called again. `likely`: the error says less (Python 2), so it may be an error of the tool
   * itself.
   */
  needsNewer(exchange: Exchange, outcome: Outcome): 'named' | 'likely' | undefined {
    const item = itemOf(exchange)
    if (item === undefined || outcome.type !== 'error') return undefined
    const { message, code } = outcome.error
    const isNamed = message.includes(NEWER) && message.includes('InputRequiredResult')
    if (!isNamed && (code !== INTERNAL_ERROR || message !== INVALID_RESULT)) return undefined
    this.#newerOnly.add(item)
    return isNamed ? 'named' : 'likely'
  }

  /** Which connections there are and why, for operators; undefined where there is nothing to say. */
  get description(): string | undefined {
    const who = 'clients that can be asked questions'
    if (this.#isLikely && this.#reason !== undefined) {
      return `Calls of ${who} use a connection of the older era, because ${this.#reason}; all others use ${NEWER}.`
    }
    const older = `older ${who}`
    const first = `So do newer ones from the first call on that must not be made twice.`
    switch (this.#knowledge) {
      case 'named':
        return `Calls use ${NEWER}; ${older} get a connection of their own era, which the server names too. ${first}`
      case 'possible':
        return `Calls use ${NEWER}, the only revision that the server names; for ${older} "initialize" is tried once. ${first}`
      case 'proved':
        return `Calls use ${NEWER}; ${older} use a connection of their own era. ${first}`
      case 'refused':
        return `Calls of all clients use ${NEWER}: the server refused "initialize".`
      case 'needless':
        return `Calls of all clients use ${NEWER}: the server can ask all of them in it.`
    }
    return this.#insisted && `The configuration insists on the era "${this.#insisted}".`
  }
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
