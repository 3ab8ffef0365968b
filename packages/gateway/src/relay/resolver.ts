import {
  copyWith,
  INVALID_PARAMS,
  isJsonObject,
  METHOD_NOT_FOUND,
  orAbort,
  ProtocolError,
  RESOURCE_NOT_FOUND,
  type Exchange,
  type JsonObject,
} from '@gantry/mcp/exchange'
import type { ListKind, MergedEntry } from '../catalog/merged.ts'
import { fitsTemplate, offersUri } from '../catalog/offers-uri.ts'
import { PublicUris } from '../catalog/public-uris.ts'
import type { TargetCatalog } from '../catalog/target-catalog.ts'
import type { ObjectKind } from '../model/index.ts'
import { isAllowed } from '../policy/is-allowed.ts'
import type { Target } from '../targets/target.ts'
import { mirroredArguments } from './mirrored-arguments.ts'
import type { RelayOptions } from './relay.ts'
import type { CallerTask } from './caller-tasks.ts'

/** Where a request goes, and what it is there. */
export interface Destination {
  readonly target: Target
  readonly params: JsonObject
  readonly uris: PublicUris
  /** Whether it may be repeated when a connection is lost. */
  readonly safe: boolean
  /** Arguments that the target wants mirrored into headers. */
  readonly mirrored?: Record<string, string> | undefined
  /** What policy was asked about, under the target's own name. A task belongs to it. */
  readonly object: { readonly kind: ObjectKind; readonly name: string }
  /** The task that is asked about. */
  readonly task?: CallerTask
  /** What an older server says of a tool: its calls can, or must, be tasks. */
  readonly taskSupport?: MergedEntry['taskSupport']
}

/** For requests that name no tool, prompt or resource: permitted only where all of a target is. */
const WHOLE_TARGET = { kind: 'tools', name: '*' } as const

/** Finds the owner of a name or a URI; what a caller may not use does not exist for it. */
export class Resolver {
  readonly #options: RelayOptions

  constructor(options: RelayOptions) {
    this.#options = options
  }

  /** A promise only when somebody has to be asked first. */
  resolve(exchange: Exchange): Destination | Promise<Destination> {
    const { params, method } = exchange
    switch (method) {
      case 'tools/call':
        return this.#named('tools', exchange)
      case 'prompts/get':
        return this.#named('prompts', exchange)
      case 'completion/complete':
        return this.#completion(exchange)
    }
    if (typeof params.uri === 'string') return this.#uri(params.uri, exchange)
    // On a target's own endpoint whatever we do not know is for it to know.
    const [only, ...others] = this.#options.catalog.catalogs
    if (only && others.length === 0) return { ...this.#with(only.target, exchange, {}), params, safe: false }
    throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
  }

  #named(kind: 'tools' | 'prompts', exchange: Exchange): Destination | Promise<Destination> {
    const { name } = exchange.params
    if (typeof name !== 'string')
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "name" must be a string')
    const known = this.#options.catalog.find(kind, name)
    return known ? this.#toEntry(kind, name, known, exchange) : this.#unknown(kind, name, exchange)
  }

  async #unknown(kind: 'tools' | 'prompts', name: string, exchange: Exchange): Promise<Destination> {
    const entry = (await this.#entry(kind, name)) ?? (await this.#late(kind, name, exchange))
    return this.#toEntry(kind, name, entry, exchange)
  }

  #toEntry(
    kind: 'tools' | 'prompts',
    name: string,
    entry: MergedEntry | undefined,
    exchange: Exchange,
  ): Destination {
    if (!entry || !this.permits(kind, entry.target.target, entry.own, exchange)) {
      throw new ProtocolError(INVALID_PARAMS, `Unknown ${kind === 'tools' ? 'tool' : 'prompt'}: ${name}`)
    }
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
  async #entry(kind: ListKind, key: string): Promise<MergedEntry | undefined> {
    const { catalog } = this.#options
    const known = catalog.find(kind, key)
    if (known) return known
    await catalog.ready()
    return catalog.find(kind, key)
  }

  /**
   * A name that can only belong to a target which has not answered yet: the call waits for it as for any target
   * that starts, and fails with the reason when it does not. Nothing is said to those who may not use it.
   */
  async #late(kind: 'tools' | 'prompts', name: string, exchange: Exchange): Promise<MergedEntry | undefined> {
    const { catalog, model } = this.#options
    // There may be several: `git_hub_x` can be of `git` or of `git_hub`.
    const owners = catalog.catalogs.filter((one) => {
      const prefix = catalog.prefixOf(one)
      const own = name.slice(prefix.length + model.names.separator.length)
      return (
        !one.snapshot &&
        prefix !== '' &&
        name.startsWith(prefix + model.names.separator) &&
        this.permits(kind, one.target, own, exchange)
      )
    })
    if (owners.length === 0) return undefined
    const asked = Promise.allSettled(owners.map((one) => one.refresh()))
    const answers = await orAbort(asked, exchange.signal)
    const found = catalog.find(kind, name)
    const failed = answers.find((one) => one.status === 'rejected')
    if (!found && failed) throw failed.reason
    return found
  }

  async #uri(uri: string, exchange: Exchange): Promise<Destination> {
    const target = await this.permittedOwnerOf(uri, exchange)
    if (!target) throw resourceNotFound(uri, exchange)
    const uris = this.urisOf(target)
    const own = uris.toOwn(uri)
    const params = own === uri ? exchange.params : copyWith(exchange.params, 'uri', own)
    return { target, params, uris, safe: true, object: { kind: 'resources', name: own } }
  }

  /** By prefix; without one, by the lists, and last by asking the only target that could have it. */
  async #ownerOf(uri: string): Promise<TargetCatalog | undefined> {
    const { catalog } = this.#options
    const prefixed = catalog.catalogs.find((one) => catalog.urisOf(one).owns(uri))
    if (prefixed) return prefixed
    const listed = await this.#entry('resources', uri)
    if (listed) return listed.target
    const bare = catalog.catalogs.filter(
      (one) => catalog.prefixOf(one) === '' && one.snapshot?.discovery.capabilities.resources,
    )
    return bare.find(({ snapshot }) => snapshot?.templates.some((one) => fitsTemplate(one, uri))) ?? bare[0]
  }

  /** What the configuration leaves out, and what the caller may not use, has no owner. */
  async permittedOwnerOf(uri: string, exchange: Exchange): Promise<Target | undefined> {
    const owner = await this.#ownerOf(uri)
    if (!owner) return undefined
    const { catalog } = this.#options
    const own = catalog.urisOf(owner).toOwn(uri)
    // Its templates may say more than its name does.
    if (!owner.snapshot && !offersUri(owner, own)) await catalog.ready()
    const permitted = offersUri(owner, own) && this.permits('resources', owner.target, own, exchange)
    return permitted ? owner.target : undefined
  }

  async #completion(exchange: Exchange): Promise<Destination> {
    const { ref } = exchange.params
    if (isJsonObject(ref) && ref.type === 'ref/prompt' && typeof ref.name === 'string') {
      const entry = await this.#entry('prompts', ref.name)
      if (!entry || !this.permits('prompts', entry.target.target, entry.own, exchange)) {
        throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${ref.name}`)
      }
      return this.#with(entry.target.target, exchange, { ref: { ...ref, name: entry.own } })
    }
    if (isJsonObject(ref) && ref.type === 'ref/resource' && typeof ref.uri === 'string') {
      const target = await this.#templateOwner(ref.uri, exchange)
      if (!target) throw resourceNotFound(ref.uri, exchange)
      return this.#with(target, exchange, { ref: { ...ref, uri: this.urisOf(target).toOwn(ref.uri) } })
    }
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "ref" must be a ref/prompt or a ref/resource')
  }

  async #templateOwner(template: string, exchange: Exchange): Promise<Target | undefined> {
    const listed = await this.#entry('templates', template)
    if (!listed) return this.permittedOwnerOf(template, exchange)
    const { target } = listed.target
    return this.permits('resources', target, listed.own, exchange) ? target : undefined
  }

  #with(target: Target, exchange: Exchange, changes: JsonObject): Destination {
    return {
      target,
      params: { ...exchange.params, ...changes },
      uris: this.urisOf(target),
      safe: true,
      object: WHOLE_TARGET,
    }
  }

  urisOf(target: Target): PublicUris {
    const catalog = this.#options.catalog.catalogs.find((one) => one.target === target)
    return catalog ? this.#options.catalog.urisOf(catalog) : new PublicUris('')
  }

  permits(kind: ObjectKind, target: Target, name: string, exchange: Exchange): boolean {
    const { policy } = this.#options.model
    return isAllowed(policy, exchange.auth, { kind, target: target.name, name }).allowed
  }
}

/** A tool that only reads, or that may be called twice with one effect. */
function isRepeatable(item: JsonObject): boolean {
  const { annotations } = item
  return (
    isJsonObject(annotations) && (annotations.readOnlyHint === true || annotations.idempotentHint === true)
  )
}

function resourceNotFound(uri: string, exchange: Exchange): ProtocolError {
  const code = exchange.client.version >= '2026-07-28' ? INVALID_PARAMS : RESOURCE_NOT_FOUND
  return new ProtocolError(code, `Resource not found: ${uri}`, { uri })
}
