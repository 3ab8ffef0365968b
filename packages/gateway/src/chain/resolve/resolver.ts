import {
  copyWith,
  INVALID_PARAMS,
  isJsonObject,
  orAbort,
  ProtocolError,
  type JsonObject,
  mirrorArguments,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { MergedEntry } from '../../catalog/merged.ts'
import { lookUp, type TargetCatalog } from '../../catalog/target-catalog.ts'
import { absent } from '../absent.ts'
import type { GatewayExchange, Resolved, ResolvedExchange } from '../gateway-exchange.ts'
import type { CallerView } from '../policy/caller-view.ts'
import type { CallerTasks } from '../tasks/caller-tasks.ts'
import { findResource, type FoundResource } from './resource-finder.ts'
import { headerParameters, type HeaderParameter } from '@gantry/mcp/server'
import type { Link } from '../link.ts'
import { publicNotification, toPublic } from './to-public.ts'

export interface ResolverOptions {
  /** The targets of the endpoint, under the names that its clients see. */
  readonly catalog: CatalogView
  readonly tasks: CallerTasks
}

type Named = 'tools' | 'prompts'

/**
 * Finds what a request is about, among what its caller may see. What a caller may not see takes the same way as what
 * does not exist: the answer, and the time that it takes, must not tell.
 */
export class Resolver {
  readonly #options: ResolverOptions

  constructor(options: ResolverOptions) {
    this.#options = options
  }

  /** A promise only when a target has to be asked first: most requests name something that is known. */
  resolve(exchange: GatewayExchange): Resolved | Promise<Resolved> {
    switch (exchange.method) {
      case 'tools/call':
        return this.#named('tools', exchange)
      case 'prompts/get':
        return this.#named('prompts', exchange)
      case 'completion/complete':
        return this.#completion(exchange)
      case 'resources/read':
      case 'resources/directory/read':
      case 'skills/get':
        return this.#uri(textOf(exchange.params, 'uri'), exchange)
      default:
        return exchange.method.startsWith('tasks/') ? this.#task(exchange) : this.#method(exchange)
    }
  }

  #named(kind: Named, exchange: GatewayExchange): Resolved | Promise<Resolved> {
    const name = textOf(exchange.params, 'name')
    const known = exchange.view.find(kind, name)
    if (known) return this.#toEntry(kind, name, known, exchange)
    return this.#found(kind, name, exchange).then((entry) => this.#toEntry(kind, name, entry, exchange))
  }

  #toEntry(kind: Named, name: string, entry: MergedEntry, exchange: GatewayExchange): Resolved {
    const isTool = kind === 'tools'
    if (isTool) exchange.origin.checkHeaders?.(headerParametersOf(entry.item))
    const params = entry.own === name ? exchange.params : copyWith(exchange.params, 'name', entry.own)
    return {
      target: entry.target.target,
      capabilities: entry.target.snapshot?.discovery.capabilities,
      catalog: entry.target,
      kind,
      name: entry.own,
      entry,
      params,
      uris: this.#options.catalog.urisOf(entry.target),
      safe: !isTool || isRepeatable(entry.item),
      mirrored: isTool ? mirroredArguments(entry.item, params.arguments) : undefined,
      taskSupport: entry.taskSupport,
    }
  }

  /** Known at once in most cases; otherwise the targets that have not answered yet are waited for. */
  async #entry(kind: Named | 'templates', key: string, view: CallerView): Promise<MergedEntry | undefined> {
    const known = view.find(kind, key)
    if (known) return known
    await view.ready()
    return view.find(kind, key)
  }

  /** An entry that may not be in the lists yet: the targets that could have it are asked before it is refused. */
  async #found(kind: Named, name: string, exchange: GatewayExchange): Promise<MergedEntry> {
    const { view } = exchange
    const known = await this.#entry(kind, name, view)
    if (known) return known
    const owners = this.#possibleOwners(name, view)
    const answers = owners.length > 0 ? await orAbort(lookUp(owners), exchange.signal) : []
    const found = view.find(kind, name)
    if (found) return found
    // A target that has never answered may have it: the call fails like any other call of that target.
    const failed = answers.find((one, at) => one.status === 'rejected' && !owners[at]!.snapshot)
    throw failed?.status === 'rejected' ? failed.reason : absent(exchange)
  }

  /**
   * By prefix; there may be several: `git_hub_x` can be of `git` or of `git_hub`. A target without one is asked when
   * it runs or starts for the first time. Whether policy denies the name does not matter here: the answer, and the
   * time that it takes, would tell.
   */
  #possibleOwners(name: string, view: CallerView): TargetCatalog[] {
    const { catalog } = this.#options
    return view.catalogs.filter((one) => {
      const prefix = catalog.prefixOf(one)
      const start = prefix === '' ? '' : prefix + catalog.separator
      const isAsked = one.target.connected || one.isFirstAsked || view.catalogs.length === 1
      const isNamed = prefix === '' ? isAsked : name.startsWith(start)
      return isNamed && one.target.model.enabled
    })
  }

  async #uri(uri: string, exchange: GatewayExchange): Promise<Resolved> {
    const found = await this.findResource(uri, exchange.view)
    if (!found || !mayOpen(found, exchange)) throw absent(exchange)
    const params = found.own === uri ? exchange.params : copyWith(exchange.params, 'uri', found.own)
    return this.#at(found.catalog, { kind: 'resources', name: found.own }, params)
  }

  findResource(uri: string, view: CallerView): Promise<FoundResource | undefined> {
    return findResource(uri, this.#options.catalog, view)
  }

  async #completion(exchange: GatewayExchange): Promise<Resolved> {
    const { params, view } = exchange
    const { ref, argument } = params
    if (!isJsonObject(argument)) {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "argument" must be an object')
    }
    textOf(argument, 'name')
    textOf(argument, 'value')
    if (isJsonObject(ref) && ref.type === 'ref/prompt') {
      const { target, own } = await this.#found('prompts', textOf(ref, 'name'), exchange)
      return this.#at(target, { kind: 'prompts', name: own }, { ...params, ref: { ...ref, name: own } })
    }
    if (isJsonObject(ref) && ref.type === 'ref/resource') {
      const uri = textOf(ref, 'uri')
      const entry = await this.#entry('templates', uri, view)
      const found = entry ? { catalog: entry.target, own: entry.own } : await this.findResource(uri, view)
      // Where something is denied, what is not listed is not asked about: the answers could be told apart.
      if (!found || (!entry && view.isRestricted(found.catalog))) throw absent(exchange)
      const { catalog, own } = found
      return this.#at(catalog, { kind: 'resources', name: own }, { ...params, ref: { ...ref, uri: own } })
    }
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "ref" must be a ref/prompt or a ref/resource')
  }

  async #task(exchange: GatewayExchange): Promise<Resolved> {
    const task = await this.#options.tasks.require(exchange)
    const resolved = this.#at(task.catalog, task, { ...exchange.params, taskId: task.own })
    return { ...resolved, safe: exchange.method !== 'tasks/update', task }
  }

  /** A method of a target's own goes to the only target that there is, or to the owner of the URI that it names. */
  async #method(exchange: GatewayExchange): Promise<Resolved> {
    const { method, params, view } = exchange
    const { catalog } = this.#options
    const uri = typeof params.uri === 'string' ? params.uri : undefined
    const only = catalog.catalogs.length === 1 ? view.catalogs[0] : undefined
    const isFree = only !== undefined && !view.isRestricted(only)
    const found = uri === undefined || isFree ? undefined : await this.findResource(uri, view)
    const owner = uri === undefined || isFree ? only : found?.catalog
    if (!owner || !view.maySee('methods', owner, method)) throw absent(exchange)
    const own = uri === undefined ? undefined : (found?.own ?? catalog.urisOf(owner).toOwn(uri))
    const asked = own === uri ? params : copyWith(params, 'uri', own)
    return { ...this.#at(owner, { kind: 'methods', name: method }, asked), safe: false }
  }

  #at(catalog: TargetCatalog, { kind, name }: Pick<Resolved, 'kind' | 'name'>, params: JsonObject): Resolved {
    const uris = this.#options.catalog.urisOf(catalog)
    const { target, snapshot } = catalog
    const capabilities = snapshot?.discovery.capabilities
    return { target, capabilities, catalog, kind, name, params, uris, safe: true }
  }
}

/** A rule about what is in a directory is a rule about reading the directory. */
function mayOpen({ catalog, own }: FoundResource, { method, view }: GatewayExchange): boolean {
  return (
    method !== 'resources/directory/read' ||
    own.endsWith('/') ||
    view.mayCall('resources', catalog, `${own}/`)
  )
}

/** Reads a member that names what a request is about; nothing is asked before it is a text. */
function textOf(params: JsonObject, member: 'name' | 'uri' | 'value'): string {
  const value = params[member]
  if (typeof value === 'string') return value
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: "${member}" must be a string`)
}

/** A tool that only reads, or that may be called twice with one effect. */
function isRepeatable(item: JsonObject): boolean {
  const { annotations } = item
  return (
    isJsonObject(annotations) && (annotations.readOnlyHint === true || annotations.idempotentHint === true)
  )
}

/** Schemas are analysed once: entries of the catalog live until their target's lists change. */
const known = new WeakMap<object, readonly HeaderParameter[]>()

/** The parameters of a tool that HTTP mirrors into headers (2026-07-28, `x-mcp-header`). */
export function headerParametersOf(tool: JsonObject): readonly HeaderParameter[] {
  let parameters = known.get(tool)
  if (!parameters) {
    const found = headerParameters(isJsonObject(tool.inputSchema) ? tool.inputSchema : {})
    parameters = found.ok ? found.parameters : []
    known.set(tool, parameters)
  }
  return parameters
}

/** The `Mcp-Param-*` headers of a call for the hop to its target; the wire encodes their values. */
export function mirroredArguments(tool: JsonObject, args: unknown): Record<string, string> | undefined {
  return mirrorArguments(headerParametersOf(tool), args)
}

/**
 * Finds out once what a request is about. This is the border of names: in front of it everything has the names that
 * the endpoint's clients know, behind it the names that the target has given.
 */
export function resolveLink(resolver: Resolver): Link {
  return (exchange, next) => {
    const found = resolver.resolve(exchange)
    return found instanceof Promise
      ? found.then((one) => pass(exchange, one, next))
      : pass(exchange, found, next)
  }
}

function pass(exchange: GatewayExchange, resolved: Resolved, next: () => Promise<Outcome>): Promise<Outcome> {
  exchange.resolve(resolved)
  exchange.hear(publicNotification)
  return next().then((outcome) => toPublic(outcome, exchange as ResolvedExchange))
}
