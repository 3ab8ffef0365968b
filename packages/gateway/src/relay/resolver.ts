import {
  copyWith,
  INVALID_PARAMS,
  isJsonObject,
  METHOD_NOT_FOUND,
  orAbort,
  ProtocolError,
  type Exchange,
  type JsonObject,
} from '@gantry/mcp/exchange'
import type { MergedEntry } from '../catalog/merged.ts'
import { PublicUris } from '../catalog/public-uris.ts'
import { lookUp, type TargetCatalog } from '../catalog/target-catalog.ts'
import type { ObjectKind, PolicyModel } from '../model/index.ts'
import { permissionsOf, type Caller } from '../policy/permissions-of.ts'
import type { Target } from '../targets/target.ts'
import type { CallerTask } from './caller-tasks.ts'
import { CallerView } from './caller-view.ts'
import { mirroredArguments } from './mirrored-arguments.ts'
import type { MayRead } from './permitted-result.ts'
import type { RelayOptions } from './relay.ts'
import { findResource, resourceNotFound, type FoundResource } from './resource-finder.ts'

/** Where a request goes, and what it is there. */
export interface Destination {
  readonly target: Target
  readonly params: JsonObject
  readonly uris: PublicUris
  /** Whether it may be repeated when a connection is lost. */
  readonly safe: boolean
  /** Arguments that the target wants mirrored into headers. */
  readonly mirrored?: Record<string, string> | undefined
  /** What an older server says of a tool: its calls can, or must, be tasks. */
  readonly taskSupport?: MergedEntry['taskSupport']
  /** What policy was asked about, under the target's own name. A task belongs to it. */
  readonly object: { readonly kind: ObjectKind; readonly name: string }
  /** The task that is asked about. */
  readonly task?: CallerTask
  /** Which of the resources that the answer names may be shown; all when undefined. */
  readonly mayRead?: MayRead | undefined
}

/** Finds what a request is about and asks the policy. What the caller may not use does not exist for it. */
export class Resolver {
  readonly #options: RelayOptions
  #common: CallerView | undefined

  constructor(options: RelayOptions) {
    this.#options = options
  }

  /** What the endpoint is for a caller, under the rules that hold now. Without rules it is the same for all. */
  viewOf(caller: Caller, policy: PolicyModel = this.#options.model.policy): CallerView {
    const permissions = permissionsOf(policy, caller)
    if (!permissions.isCommon) return new CallerView(this.#options.catalog, permissions)
    this.#common ??= new CallerView(this.#options.catalog, permissions)
    return this.#common
  }

  /** A promise only when somebody has to be asked first. */
  resolve(exchange: Exchange): Destination | Promise<Destination> {
    const view = this.viewOf(exchange)
    switch (exchange.method) {
      case 'tools/call':
        return this.#named('tools', exchange, view)
      case 'prompts/get':
        return this.#named('prompts', exchange, view)
      case 'completion/complete':
        return this.#completion(exchange, view)
      case 'resources/read':
      case 'resources/directory/read':
      case 'skills/get':
        return this.#uri(textOf(exchange.params, 'uri'), exchange, view)
      default:
        return this.#method(exchange, view)
    }
  }

  #named(
    kind: 'tools' | 'prompts',
    exchange: Exchange,
    view: CallerView,
  ): Destination | Promise<Destination> {
    const name = textOf(exchange.params, 'name')
    const known = view.find(kind, name)
    return known ? this.#toEntry(kind, name, known, exchange) : this.#unknown(kind, name, exchange, view)
  }

  /** A name that the caller may not use takes the same way as one that nothing has. */
  async #unknown(
    kind: 'tools' | 'prompts',
    name: string,
    exchange: Exchange,
    view: CallerView,
  ): Promise<Destination> {
    const entry = await this.#found(kind, name, exchange, view)
    if (!entry) throw unknown(kind, name)
    return this.#toEntry(kind, name, entry, exchange)
  }

  #toEntry(kind: 'tools' | 'prompts', name: string, entry: MergedEntry, exchange: Exchange): Destination {
    return {
      target: entry.target.target,
      params: entry.own === name ? exchange.params : copyWith(exchange.params, 'name', entry.own),
      uris: this.#options.catalog.urisOf(entry.target),
      safe: kind === 'prompts' || isRepeatable(entry.item),
      object: { kind, name: entry.own },
      mirrored: kind === 'tools' ? mirroredArguments(entry.item, exchange.params.arguments) : undefined,
      taskSupport: entry.taskSupport,
    }
  }

  /** Known at once in most cases; otherwise the targets that have not answered yet are waited for. */
  async #entry(
    kind: 'tools' | 'prompts' | 'templates',
    key: string,
    view: CallerView,
  ): Promise<MergedEntry | undefined> {
    const known = view.find(kind, key)
    if (known) return known
    await view.ready()
    return view.find(kind, key)
  }

  /** An entry that may not be in the lists yet: the targets that could have it are asked before it is refused. */
  async #found(
    kind: 'tools' | 'prompts',
    name: string,
    exchange: Exchange,
    view: CallerView,
  ): Promise<MergedEntry | undefined> {
    const known = await this.#entry(kind, name, view)
    if (known) return known
    const owners = this.#possibleOwners(name, view)
    if (owners.length === 0) return undefined
    const answers = await orAbort(lookUp(owners), exchange.signal)
    const found = view.find(kind, name)
    // A target that has never answered may have it: the call fails like any other call of that target.
    const failed = answers.find((one, at) => one.status === 'rejected' && !owners[at]!.snapshot)
    if (!found && failed?.status === 'rejected') throw failed.reason
    return found
  }

  /** Candidates by prefix: `git_hub_x` can be of `git` or `git_hub`. Policy has no say: timing would tell. */
  #possibleOwners(name: string, view: CallerView): TargetCatalog[] {
    const { catalog, model } = this.#options
    return view.catalogs.filter((one) => {
      const prefix = catalog.prefixOf(one)
      const start = prefix === '' ? '' : prefix + model.names.separator
      const isAsked = one.target.connected || one.isFirstAsked || view.catalogs.length === 1
      const isNamed = prefix === '' ? isAsked : name.startsWith(start)
      return isNamed && one.target.model.enabled
    })
  }

  async #uri(uri: string, exchange: Exchange, view: CallerView): Promise<Destination> {
    const found = await this.findResource(uri, view)
    if (!found || !this.#mayOpen(found, exchange, view)) throw resourceNotFound(uri, exchange)
    const { catalog, own } = found
    const params = own === uri ? exchange.params : copyWith(exchange.params, 'uri', own)
    const object = { kind: 'resources', name: own } as const
    return { ...this.#with(catalog, object, params), mayRead: this.#mayRead(catalog, view) }
  }

  /** A rule about what is in a directory is a rule about reading the directory. */
  #mayOpen({ catalog, own }: FoundResource, { method }: Exchange, view: CallerView): boolean {
    return method !== 'resources/directory/read' || own.endsWith('/') || view.mayRead(catalog, `${own}/`)
  }

  #mayRead(catalog: TargetCatalog, view: CallerView): MayRead | undefined {
    return view.isRestricted(catalog) ? (own) => view.mayRead(catalog, own) : undefined
  }

  findResource(uri: string, view: CallerView): Promise<FoundResource | undefined> {
    return findResource(uri, this.#options.catalog, view)
  }

  async #completion(exchange: Exchange, view: CallerView): Promise<Destination> {
    const { ref, argument } = exchange.params
    if (!isJsonObject(argument)) {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "argument" must be an object')
    }
    textOf(argument, 'name')
    textOf(argument, 'value')
    if (isJsonObject(ref) && ref.type === 'ref/prompt') {
      const name = textOf(ref, 'name')
      const entry = await this.#found('prompts', name, exchange, view)
      if (!entry) throw unknown('prompts', name)
      const params = { ...exchange.params, ref: { ...ref, name: entry.own } }
      return this.#with(entry.target, { kind: 'prompts', name: entry.own }, params)
    }
    if (isJsonObject(ref) && ref.type === 'ref/resource') {
      const uri = textOf(ref, 'uri')
      const entry = await this.#entry('templates', uri, view)
      const found = entry ? { catalog: entry.target, own: entry.own } : await this.findResource(uri, view)
      // Where something is denied, what is not listed is not asked about: the answers could be told apart.
      const isOpen = found && (entry || !view.isRestricted(found.catalog))
      if (!isOpen) throw resourceNotFound(uri, exchange)
      const { catalog, own } = found
      const params = { ...exchange.params, ref: { ...ref, uri: own } }
      const asked = this.#with(catalog, { kind: 'resources', name: own }, params)
      return { ...asked, mayRead: this.#mayRead(catalog, view) }
    }
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "ref" must be a ref/prompt or a ref/resource')
  }

  /** A method of a target's own goes to the only target that there is, or to the owner of the URI that it names. */
  async #method(exchange: Exchange, view: CallerView): Promise<Destination> {
    const { method, params } = exchange
    const { uri } = params
    const isAlone = this.#options.catalog.catalogs.length === 1
    const only = isAlone ? view.catalogs[0] : undefined
    const isFree = only !== undefined && !view.isRestricted(only)
    const found = typeof uri === 'string' && !isFree ? await this.findResource(uri, view) : undefined
    const owner = typeof uri === 'string' && !isFree ? found?.catalog : only
    if (!owner || !view.mayUse('methods', owner, method)) throw methodNotFound(method)
    const own = found?.own ?? (typeof uri === 'string' ? this.#options.catalog.urisOf(owner).toOwn(uri) : uri)
    const asked = own === uri ? params : copyWith(params, 'uri', own)
    return { ...this.#with(owner, { kind: 'methods', name: method }, asked), safe: false }
  }

  #with(catalog: TargetCatalog, object: Destination['object'], params: JsonObject): Destination {
    const uris = this.#options.catalog.urisOf(catalog)
    return { target: catalog.target, params, uris, safe: true, object }
  }

  urisOf(target: Target): PublicUris {
    const catalog = this.#catalogOf(target)
    return catalog ? this.#options.catalog.urisOf(catalog) : new PublicUris('')
  }

  permits(kind: ObjectKind, target: Target, name: string, caller: Caller): boolean {
    return permissionsOf(this.#options.model.policy, caller).mayUse({ kind, target: target.name, name })
  }

  /** Whether a caller may read a resource, under the rules that hold now. */
  mayRead(target: Target, own: string, caller: Caller): boolean {
    const catalog = this.#catalogOf(target)
    return catalog !== undefined && this.viewOf(caller).mayRead(catalog, own)
  }

  #catalogOf(target: Target): TargetCatalog | undefined {
    return this.#options.catalog.catalogs.find((one) => one.target === target)
  }
}

/** Reads a member that names what a request is about; nothing is asked before it is a text. */
function textOf(params: JsonObject, member: 'name' | 'uri' | 'value'): string {
  const value = params[member]
  if (typeof value === 'string') return value
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: "${member}" must be a string`)
}

/** The same whether a target has no such method or the caller may not use it. */
export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
}

function unknown(kind: 'tools' | 'prompts', name: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Unknown ${kind === 'tools' ? 'tool' : 'prompt'}: ${name}`)
}

/** A tool that only reads, or that may be called twice with one effect. */
function isRepeatable(item: JsonObject): boolean {
  const { annotations } = item
  return (
    isJsonObject(annotations) && (annotations.readOnlyHint === true || annotations.idempotentHint === true)
  )
}
