import type { Exchange, JsonObject } from '@gantry/mcp/exchange'
import { TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import type { ServerCapabilities } from '@gantry/mcp/server'
import type { CatalogView, Gap } from '../../catalog/catalog-view.ts'
import type { ListKind, ListsOf, Merged, MergedEntry } from '../../catalog/merged.ts'
import { offersUri } from '../../catalog/offers-uri.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { isSelected, type ObjectKind, type PolicyModel } from '../../model/index.ts'
import { type Permissions, type PolicyObject, permissionsOf, type Caller } from './permissions.ts'

/** An endpoint as one caller sees it: made only from the targets that the caller may know. */
export class CallerView {
  readonly #catalog: CatalogView
  readonly #permissions: Permissions
  readonly #listsOf: ListsOf | undefined
  #merged: { readonly generation: number; readonly lists: Merged } | undefined
  #known: { readonly generation: number; readonly catalogs: readonly TargetCatalog[] } | undefined

  /** `listsOf`: where targets offer something else to this caller than to others. */
  constructor(catalog: CatalogView, permissions: Permissions, listsOf?: ListsOf) {
    this.#catalog = catalog
    this.#listsOf = listsOf
    this.#permissions = permissions
  }

  /** Nothing is kept from this caller: what it sees is what everybody sees. */
  get isOpen(): boolean {
    return this.#permissions.isOpen && !this.#listsOf
  }

  /** Nothing is kept from anybody. */
  get isCommon(): boolean {
    return this.#permissions.isCommon && !this.#listsOf
  }

  get catalogs(): readonly TargetCatalog[] {
    if (this.isOpen) return this.#catalog.catalogs
    const { generation, catalogs } = this.#catalog
    // A target that has answered meanwhile may have nothing for this caller.
    if (this.#known?.generation !== generation) {
      this.#known = { generation, catalogs: catalogs.filter((one) => mayKnow(one, this.#permissions)) }
    }
    return this.#known.catalogs
  }

  /** Waits for the targets that the caller may know of, and starts no others on its behalf. */
  ready(): Promise<void> {
    return this.#catalog.ready(this.catalogs)
  }

  /** The same, and targets that want to be asked every time are. */
  current(): Promise<void> {
    return this.#catalog.current(this.catalogs)
  }

  get #lists(): Merged {
    if (this.isOpen) return this.#catalog.merged
    const { generation } = this.#catalog
    if (this.#merged?.generation !== generation) {
      const lists = this.#catalog.mergedFor(
        (kind, { target }, own) => this.#permissions.maySee({ kind, target: target.name, name: own }),
        this.#listsOf,
      )
      this.#merged = { generation, lists }
    }
    return this.#merged.lists
  }

  entries(kind: ListKind): MergedEntry[] {
    const entries: MergedEntry[] = []
    for (const entry of this.#lists[kind].values()) if (this.lists(kind, entry)) entries.push(entry)
    return entries
  }

  /** An entry by the name that clients use. */
  find(kind: ListKind, key: string): MergedEntry | undefined {
    const entry = this.#lists[kind].get(key)
    return entry && this.lists(kind, entry) ? entry : undefined
  }

  /** Whether an entry of the merged lists is in those of the caller. The configuration has selected it already. */
  lists(list: ListKind, { target, own }: MergedEntry): boolean {
    return this.isOpen || this.#permissions.maySee(objectOf(LISTED_AS[list], target, own))
  }

  /** Whether something is there for the caller: in lists, suggestions and news, and by its name. */
  maySee(kind: ObjectKind, catalog: TargetCatalog, own: string): boolean {
    return isOffered(kind, catalog, own) && this.#permissions.maySee(objectOf(kind, catalog, own))
  }

  /** Whether the caller may call it, get it, read it or have it completed. */
  mayCall(kind: ObjectKind, catalog: TargetCatalog, own: string): boolean {
    return isOffered(kind, catalog, own) && this.#permissions.mayCall(objectOf(kind, catalog, own))
  }

  /** Whether any resource of a target is kept from the caller, by policy or for everybody. */
  isRestricted({ target }: TargetCatalog): boolean {
    const { include, exclude } = target.model.resources
    return include.length + exclude.length > 0 || !this.#permissions.mayCallAll(target.name, 'resources')
  }

  gaps(): Gap[] {
    return this.#catalog.gaps(this.catalogs)
  }

  /** What the targets can do, and what the gateway makes of it: older servers' long calls become tasks of its own. */
  capabilities(): ServerCapabilities {
    const capabilities = this.#catalog.capabilities(this.catalogs)
    if (capabilities.extensions?.[TASKS_EXTENSION] || !this.#offersTasks()) return capabilities
    return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} } }
  }

  #offersTasks(): boolean {
    for (const entry of this.#catalog.merged.tools.values()) {
      if (entry.taskSupport !== undefined && this.lists('tools', entry)) return true
    }
    return false
  }

  instructions(own: string | undefined): string | undefined {
    return this.#catalog.instructions(own, this.catalogs)
  }

  meta(): JsonObject {
    return this.#catalog.meta(this.catalogs)
  }

  /** With rules about who sees what, a list is nobody else's. */
  caching(): { ttlMs: number; cacheScope: 'public' | 'private' } {
    const caching = this.#catalog.caching(this.catalogs)
    return this.isCommon ? caching : { ...caching, cacheScope: 'private' }
  }
}

const LISTED_AS = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resources',
} as const satisfies Record<ListKind, ObjectKind>

function objectOf(kind: ObjectKind, { target }: TargetCatalog, name: string): PolicyObject {
  return { kind, target: target.name, name }
}

/** Resources that the configuration leaves out are there for nobody, listed or not. */
function isOffered(kind: ObjectKind, catalog: TargetCatalog, own: string): boolean {
  return kind !== 'resources' || offersUri(catalog, own)
}

/** Whether a caller may know that a target exists: it can use something of what is there. */
export function mayKnow({ target, snapshot }: TargetCatalog, permissions: Permissions): boolean {
  if (permissions.isOpen) return true
  const { name, model } = target
  if (!permissions.mayCallSome(name)) return false
  if (!snapshot) return true
  const { tools, prompts, resources } = snapshot.discovery.capabilities
  if ((!tools && !prompts && !resources) || permissions.mayCallSome(name, 'methods')) return true
  const maySeeSome = (kind: 'tools' | 'prompts'): boolean => {
    const offered = snapshot[kind].filter((item) => isSelected(item.name as string, model[kind]))
    if (offered.length === 0) return permissions.mayCallSome(name, kind)
    return offered.some((item) => permissions.maySee({ kind, target: name, name: item.name as string }))
  }
  return (
    (tools !== undefined && maySeeSome('tools')) ||
    (prompts !== undefined && maySeeSome('prompts')) ||
    // Resources need not be listed to be read.
    (resources !== undefined && permissions.mayCallSome(name, 'resources'))
  )
}

/** What callers may see and call at one endpoint, under the rules that hold now. */
export class Policy {
  readonly #catalog: CatalogView
  #rules: PolicyModel
  /** The endpoint as everybody sees it; undefined while rules keep something from somebody. */
  #common: CallerView | undefined

  constructor(catalog: CatalogView, rules: PolicyModel) {
    this.#catalog = catalog
    this.#rules = rules
    this.rules = rules
  }

  get rules(): PolicyModel {
    return this.#rules
  }

  set rules(rules: PolicyModel) {
    this.#rules = rules
    const view = this.#viewUnder(rules, {})
    this.#common = view.isCommon ? view : undefined
  }

  /** The endpoint as a caller sees it. */
  viewOf(caller: Pick<Exchange, 'session' | 'auth'>, rules: PolicyModel = this.#rules): CallerView {
    const listsOf = this.#catalog.listsFor(caller)
    if (!listsOf && rules === this.#rules && this.#common) return this.#common
    return this.#viewUnder(rules, caller, listsOf)
  }

  #viewUnder(rules: PolicyModel, caller: Caller, listsOf?: ListsOf): CallerView {
    return new CallerView(this.#catalog, permissionsOf(rules, caller), listsOf)
  }
}
