import { writeJson, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { Link } from '../targets/connected/target-connection.ts'
import { GrowingDelay } from '../targets/listening/growing-delay.ts'
import type { Target } from '../targets/target.ts'
import { fetchLists, type FetchedLists, type ListKind } from './fetch-lists.ts'

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources', 'templates']
const NONE: ReadonlySet<ListKind> = new Set()

/** The lists of connections that single callers have, where they differ from the shared ones. */
export class OwnLists {
  readonly #target: Target
  readonly #info: Implementation
  readonly #lists = new WeakMap<Link, FetchedLists>()
  readonly #delays = new WeakMap<Link, GrowingDelay>()
  readonly #waiting = new Set<Link>()
  /** Whether there have been any. */
  hasSome = false

  constructor(target: Target, info: Implementation) {
    this.#target = target
    this.#info = info
  }

  /** What the connection of a caller offers; undefined where that is what all callers get. */
  of(caller: Pick<Exchange, 'session' | 'auth'>): FetchedLists | undefined {
    if (!this.hasSome) return undefined
    const links = this.#target.ownLinks(caller)
    const link = links.find((one) => this.#lists.has(one))
    return link && this.#lists.get(link)
  }

  /** Fetches the lists of one connection; returns those that have changed for its caller. */
  async fetch(
    connection: string,
    common: FetchedLists | undefined,
    isInvitation: boolean,
  ): Promise<ReadonlySet<ListKind>> {
    const instance = this.#target.instances.find(({ key }) => key === connection)
    const link = instance?.link
    // A fetch that has not begun yet covers everything that is announced until it begins.
    if (!link || this.#waiting.has(link)) return NONE
    await this.#turn(link)
    const { lists, failures } = await fetchLists({
      send: (exchange) => this.#target.handleOwn(exchange, instance),
      capabilities: link.discovery.capabilities,
      info: this.#info,
      before: undefined,
    })
    if (failures.length > 0) return NONE
    // A call that connects may be under way, or be repeated.
    if (isInvitation) lists.tools = [...lists.tools, ...missing(common?.tools ?? [], lists.tools)]
    const before = this.#lists.get(link) ?? common
    if (common && differences(lists, common).size === 0) this.#lists.delete(link)
    else {
      this.#lists.set(link, lists)
      this.hasSome = true
    }
    return differences(lists, before)
  }

  /** A server that announces changes all the time is asked once a second. */
  async #turn(link: Link): Promise<void> {
    const delay = this.#delays.get(link) ?? new GrowingDelay()
    this.#delays.set(link, delay)
    this.#waiting.add(link)
    await new Promise((resolve) => setTimeout(resolve, delay.wait).unref())
    this.#waiting.delete(link)
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
