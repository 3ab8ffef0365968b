import {
  complete,
  copyWith,
  failure,
  INVALID_PARAMS,
  isJsonObject,
  mirrorArguments,
  outlineOf,
  ProtocolError,
  type Failure,
  type JsonObject,
  type Notification,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { EndpointCatalog } from '../../catalog/endpoint-catalog.ts'
import type { MergedEntry } from '../../catalog/merged.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { updatedUri } from '../../targets/listening/shared-listener.ts'
import { absent, isMissing, refused } from '../absent.ts'
import type { GatewayExchange, Resolved, ResolvedExchange } from '../gateway-exchange.ts'
import type { CallerCatalog } from '../policy/caller-catalog.ts'
import type { CallerTasks } from '../tasks/caller-tasks.ts'
import { findEntry, findNamed, findResource, type FoundResource, type Named } from './finder.ts'
import { headerParameters, type HeaderParameter } from '@gantry/mcp/server'
import type { Link } from '../link.ts'

export interface ResolverOptions {
  /** The targets of the endpoint, under the names that its clients see. */
  readonly catalog: EndpointCatalog
  readonly tasks: CallerTasks
}

/**
 * Finds the object of a request among those that its caller may see. A hidden object takes the same way as one that
 * does not exist, so that neither the answer nor its time tells them apart.
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
    const known = exchange.visible.find(kind, name)
    if (known) return this.#toEntry(kind, name, known, exchange)
    return findNamed(kind, name, exchange, this.#options.catalog).then((entry) =>
      this.#toEntry(kind, name, entry, exchange),
    )
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

  async #uri(uri: string, exchange: GatewayExchange): Promise<Resolved> {
    const found = await this.findResource(uri, exchange.visible)
    if (!found || !mayOpen(found, exchange)) throw refused(exchange, exchange.visible.messageOfUri(uri))
    const params = found.own === uri ? exchange.params : copyWith(exchange.params, 'uri', found.own)
    return this.#at(found.catalog, { kind: 'resources', name: found.own }, params)
  }

  findResource(uri: string, visible: CallerCatalog): Promise<FoundResource | undefined> {
    return findResource(uri, this.#options.catalog, visible)
  }

  async #completion(exchange: GatewayExchange): Promise<Resolved> {
    const { params, visible } = exchange
    const { ref, argument } = params
    if (!isJsonObject(argument)) {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "argument" must be an object')
    }
    textOf(argument, 'name')
    textOf(argument, 'value')
    if (isJsonObject(ref) && ref.type === 'ref/prompt') {
      const entry = await findNamed('prompts', textOf(ref, 'name'), exchange, this.#options.catalog)
      const { target, own: name } = entry
      return { ...this.#at(target, { kind: 'prompts', name }, { ...params, ref: { ...ref, name } }), entry }
    }
    if (isJsonObject(ref) && ref.type === 'ref/resource') {
      const uri = textOf(ref, 'uri')
      const entry = await findEntry('templates', uri, visible)
      const found = entry ? { catalog: entry.target, own: entry.own } : await this.findResource(uri, visible)
      // Where policy hides something, targets are not asked about URIs that are not listed: the answers would tell
      // hidden from missing.
      if (!found || (!entry && visible.isRestricted(found.catalog))) {
        throw refused(exchange, visible.messageOfUri(uri))
      }
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
    const { method, params, visible } = exchange
    const { catalog } = this.#options
    const uri = typeof params.uri === 'string' ? params.uri : undefined
    const only = catalog.catalogs.length === 1 ? visible.catalogs[0] : undefined
    const isFree = only !== undefined && !visible.isRestricted(only)
    const found = uri === undefined || isFree ? undefined : await this.findResource(uri, visible)
    const owner = uri === undefined || isFree ? only : found?.catalog
    if (!owner || !visible.maySee('methods', owner, method)) {
      throw refused(exchange, visible.messageOfMethod(method, uri))
    }
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
function mayOpen({ catalog, own }: FoundResource, { method, visible }: GatewayExchange): boolean {
  return method !== 'resources/directory/read' || own.endsWith('/') || visible.mayRead(catalog, `${own}/`)
}

/** Reads the member that names the object of a request. Refuses anything but a text. */
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
  return async (exchange, next) => {
    const found = resolver.resolve(exchange)
    exchange.resolve(found instanceof Promise ? await found : found)
    exchange.hear(publicNotification)
    exchange.askThrough((ask) => (questions, signal) => ask(stillAllowed(exchange, questions), signal))
    return toPublic(stillAllowed(exchange, await next()), exchange as ResolvedExchange)
  }
}

/** A notification of the target, for a caller that may still get it. */
function stillAllowed<T>(exchange: GatewayExchange, said: T): T {
  if (exchange.isWithdrawn) throw absent(exchange)
  return said
}

/** The target's outcome in the names that clients know. An outcome without names is returned as it is. */
function toPublic(outcome: Outcome, exchange: ResolvedExchange): Outcome {
  switch (outcome.type) {
    case 'complete': {
      const { method, resolved } = exchange
      const { uris, task } = resolved
      if (task) return complete(uris.task(outcome.result, task.shown))
      // A result without names of the target is not parsed as a whole.
      const outline = outlineOf(outcome)
      if (method === 'tools/call' && !hasResource(outline.content)) return outcome
      return uris.result(method, outline) === outline
        ? outcome
        : complete(uris.result(method, outcome.result))
    }
    case 'error':
      return publicError(outcome, exchange)
    case 'task':
    case 'input_required':
      return outcome
  }
}

/** Most calls name no resource: their results stay what they are. */
function hasResource(content: unknown): boolean {
  if (!Array.isArray(content)) return false
  return content.some(
    (block) => isJsonObject(block) && (block.type === 'resource' || block.type === 'resource_link'),
  )
}

/** Answers in the same way for an object that the target lacks and for one that the caller may not use. */
function publicError(outcome: Failure, exchange: ResolvedExchange): Outcome {
  const { error } = outcome
  if (isMissing(error, exchange)) return { ...failure(absent(exchange)), cause: outcome.cause }
  const own = isJsonObject(error.data) ? error.data.uri : undefined
  if (typeof own !== 'string') return outcome
  const data = { ...(error.data as JsonObject), uri: exchange.resolved.uris.toPublic(own) }
  return { ...outcome, error: { ...error, data } }
}

/** A notification of the target during a call, in the names that clients know. */
function publicNotification(
  notification: Notification,
  { resolved }: GatewayExchange,
): Notification | undefined {
  const { method, params } = notification
  const { uris, task } = resolved!
  const uri = updatedUri(notification)
  if (uri !== undefined) return { ...notification, params: { ...params, uri: uris.toPublic(uri) } }
  if (method !== 'notifications/tasks') return notification
  // The caller does not know the task yet.
  return task && params ? { ...notification, params: uris.task(params, task.shown) } : undefined
}
