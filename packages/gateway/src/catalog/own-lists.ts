import { writeJson, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { TargetConnection } from '../targets/connected/target-connection.ts'
import { GrowingDelay } from '../targets/listening/growing-delay.ts'
import type { Target } from '../targets/target.ts'
import { fetchLists, type FetchedLists, type ListKind } from './fetch-lists.ts'

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources', 'templates']
const NONE: ReadonlySet<ListKind> = new Set()

/** The lists of connections that single callers have, where they differ from the shared ones. */
export class OwnLists {
  readonly #target: Target
  readonly #info: Implementation
  readonly #lists = new WeakMap<TargetConnection, FetchedLists>()
  readonly #delays = new WeakMap<TargetConnection, GrowingDelay>()
  readonly #waiting = new Set<TargetConnection>()
  /** Whether any connection ever had lists of its own. */
  hasSome = false

  constructor(target: Target, info: Implementation) {
    this.#target = target
    this.#info = info
  }

  /** The lists of the caller's own connection; undefined when they are those of all callers. */
  of(caller: Pick<Exchange, 'session' | 'auth'>): FetchedLists | undefined {
    if (!this.hasSome) return undefined
    const connections = this.#target.ownConnections(caller)
    const connection = connections.find((one) => this.#lists.has(one))
    return connection && this.#lists.get(connection)
  }

  /** Fetches the lists of one connection; returns those that have changed for its caller. */
  async fetch(
    connectionKey: string,
    common: FetchedLists | undefined,
    isInvitation: boolean,
  ): Promise<ReadonlySet<ListKind>> {
    const instance = this.#target.instances.find(({ key }) => key === connectionKey)
    const connection = instance?.connection
    // A fetch that has not begun yet covers everything that is announced until it begins.
    if (!connection || this.#waiting.has(connection)) return NONE
    await this.#turn(connection)
    const { lists, failures } = await fetchLists({
      send: (exchange) => this.#target.handleOwn(exchange, instance),
      capabilities: connection.discovery.capabilities,
      info: this.#info,
      before: undefined,
    })
    if (failures.length > 0) return NONE
    // The tool that connects an account stays: a call of it may be under way, or be repeated.
    if (isInvitation) lists.tools = [...lists.tools, ...missing(common?.tools ?? [], lists.tools)]
    const before = this.#lists.get(connection) ?? common
    if (common && differences(lists, common).size === 0) this.#lists.delete(connection)
    else {
      this.#lists.set(connection, lists)
      this.hasSome = true
    }
    return differences(lists, before)
  }

  /** A server that announces changes all the time is asked once a second. */
  async #turn(connection: TargetConnection): Promise<void> {
    const delay = this.#delays.get(connection) ?? new GrowingDelay()
    this.#delays.set(connection, delay)
    this.#waiting.add(connection)
    await new Promise((resolve) => setTimeout(resolve, delay.wait).unref())
    this.#waiting.delete(connection)
    delay.begin()
  }
}

/** Tools whose names another list does not have. */
function missing(tools: readonly JsonObject[], other: readonly JsonObject[]): JsonObject[] {
  return tools.filter(({ name }) => !other.some((one) => one.name === name))
}

function differences(a: FetchedLists, b: FetchedLists | undefined): Set<ListKind> {
  return new Set(KINDS.filter((kind) => writeJson(a[kind]) !== writeJson(b?.[kind] ?? [])))
}
