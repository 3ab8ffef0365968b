import { describePrincipal, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import { TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import type { ServerCapabilities } from '@gantry/mcp/server'
import type { EndpointCatalog, Gap } from '../../catalog/endpoint-catalog.ts'
import type { ListKind, ListsOf, Merged, MergedEntry } from '../../catalog/merged.ts'
import { offersUri } from '../../catalog/offers-uri.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { readUri, type ObjectKind, type PolicyModel } from '../../model/index.ts'
import type { Log } from '../../telemetry/log.ts'
import { mayKnow } from './may-know.ts'
import type { RuleCounts } from './rule-counts.ts'
import type { Caller, PolicyCall, PolicyObject } from '../../rules/facts.ts'
import { type Permissions, permissionsOf, type Verdict } from '../../rules/permissions.ts'
import { cutShort, Work } from '../../rules/work.ts'

/** What a request is about. */
export interface Called {
  readonly kind: ObjectKind
  readonly catalog: TargetCatalog
  /** The target's own name or URI of it. */
  readonly name: string
  /** Its definition, where the target lists it. */
  readonly entry?: MergedEntry | undefined
}

interface CallerCatalogOptions {
  readonly listsOf?: ListsOf | undefined
  readonly trial?: Permissions | undefined
  /** Counts calls of tools and prompts that a rule hides. */
  readonly rulings?: RuleCounts | undefined
  /** Hears that conditions took too long for the lists, which are without what was not decided. */
  readonly onOverspent?: (() => void) | undefined
}

/** An endpoint as a caller sees it. It is made only from targets that the caller may know. */
export class CallerCatalog {
  readonly #catalog: EndpointCatalog
  readonly #permissions: Permissions
  readonly #trial: Permissions | undefined
  readonly #listsOf: ListsOf | undefined
  readonly #rulings: RuleCounts | undefined
  readonly #onOverspent: (() => void) | undefined
  #merged: { readonly generation: number; readonly lists: Merged } | undefined
  #known: { readonly generation: number; readonly catalogs: readonly TargetCatalog[] } | undefined

  /** `listsOf`: where targets offer something else to this caller than to others. `trial`: rules that are tried out. */
  constructor(
    catalog: EndpointCatalog,
    permissions: Permissions,
    { listsOf, trial, rulings, onOverspent }: CallerCatalogOptions = {},
  ) {
    this.#onOverspent = onOverspent
    this.#rulings = rulings
    this.#catalog = catalog
    this.#listsOf = listsOf
    this.#permissions = permissions
    this.#trial = trial
  }

  /** No rule hides anything from this caller: it sees what everybody sees. */
  get isOpen(): boolean {
    return this.#permissions.isOpen && !this.#listsOf
  }

  /** No rule hides anything from any caller. */
  get isCommon(): boolean {
    return this.#permissions.isCommon && !this.#listsOf
  }

  /** The result is the same for all requests with these credentials. */
  get isLasting(): boolean {
    return !this.#listsOf && !this.#permissions.readsClients && !this.#trial?.readsClients
  }

  get catalogs(): readonly TargetCatalog[] {
    if (this.isOpen) return this.#catalog.catalogs
    const { generation, catalogs } = this.#catalog
    // A target that has answered meanwhile may have nothing for this caller.
    if (this.#known?.generation === generation) return this.#known.catalogs
    return this.together(
      () => catalogs.filter((one) => mayKnow(one, this.#permissions)),
      (known) => {
        this.#known = { generation, catalogs: known }
      },
    )
  }

  /** What is evaluated for a list is paid for together. `keep` gets what was decided in full. */
  together<T>(make: () => T, keep?: (made: T) => void): T {
    const work = new Work()
    const before = cutShort()
    const made = work.pay(make)
    if (cutShort() === before) keep?.(made)
    if (work.isSpent) this.#onOverspent?.()
    return made
  }

  /** Waits for the targets that the caller may know of, and starts no others on its behalf. */
  ready(): Promise<void> {
    return this.#catalog.ready(this.catalogs)
  }

  /** Like `ready`, and asks the targets again whose lists must not be kept. */
  current(): Promise<void> {
    return this.#catalog.current(this.catalogs)
  }

  get #lists(): Merged {
    if (this.isOpen) return this.#catalog.merged
    const { generation } = this.#catalog
    if (this.#merged?.generation === generation) return this.#merged.lists
    return this.together(
      () =>
        this.#catalog.mergedFor(
          (kind, { target }, name, item) =>
            this.#permissions.maySee({ kind, target: target.name, name, item }),
          this.#listsOf,
        ),
      (lists) => {
        this.#merged = { generation, lists }
      },
    )
  }

  entries(kind: ListKind): MergedEntry[] {
    return this.together(() => [...this.#lists[kind].values()].filter((entry) => this.lists(kind, entry)))
  }

  /** An entry by the name that clients use. */
  find(kind: ListKind, key: string): MergedEntry | undefined {
    const entry = this.#lists[kind].get(key)
    return entry && this.lists(kind, entry) ? entry : undefined
  }

  /** Whether an entry of the merged lists is also in the caller's lists. The configuration has selected it already. */
  lists(list: ListKind, { target, own, item }: MergedEntry): boolean {
    const isTemplate = list === 'templates'
    return this.isOpen || this.#permissions.maySee(objectOf(LISTED_AS[list], target, own, item, isTemplate))
  }

  /** Whether something is there for the caller: in lists, suggestions and news, and by its name. */
  maySee(kind: ObjectKind, catalog: TargetCatalog, own: string, isTemplate = false): boolean {
    if (!this.#isOffered(kind, catalog, own)) return false
    return this.isOpen || this.#permissions.maySee(objectOf(kind, catalog, own, undefined, isTemplate))
  }

  /**
   * Resources that the configuration leaves out do not exist for any caller, listed or not. An unknown method could
   * reach them, so it needs a rule that names methods.
   */
  #isOffered(kind: ObjectKind, catalog: TargetCatalog, own: string, call?: PolicyCall): boolean {
    if (kind === 'methods') {
      return isWhole(catalog.target) || this.#permissions.namesMethod(objectOf(kind, catalog, own), call)
    }
    return kind !== 'resources' || offersUri(catalog, own)
  }

  /** Whether the caller may read a resource now. */
  mayRead(catalog: TargetCatalog, own: string): boolean {
    return this.verdict({ kind: 'resources', catalog, name: own }, { args: {}, now: new Date() }).allowed
  }

  /** Whether the caller may make this call: to call it, get it or read it. */
  verdict(called: Called, call: PolicyCall): Verdict {
    const { kind, catalog, name, entry } = called
    if (!this.#isOffered(kind, catalog, name, call)) return NOT_OFFERED
    return this.#permissions.verdict(objectOf(kind, catalog, name, entry?.item), call)
  }

  /** The verdict of the rules that are tried out. */
  trial({ kind, catalog, name, entry }: Called, call: PolicyCall): Verdict | undefined {
    if (!this.#trial) return undefined
    // What is only tried out takes nothing from what is enforced.
    const apart = { args: call.args, now: call.now, count: call.count }
    return this.#trial.verdict(objectOf(kind, catalog, name, entry?.item), apart)
  }

  /** The lengths of time in which the rules about an object count calls. */
  windows({ kind, catalog, name, entry }: Called): readonly number[] {
    const object = objectOf(kind, catalog, name, entry?.item)
    const windows = this.#permissions.windows(object)
    return this.#trial ? [...windows, ...this.#trial.windows(object)] : windows
  }

  /** What the caller is told of something that is kept from it; undefined: that it does not exist. */
  messageOf(kind: 'tools' | 'prompts', key: string): string | undefined {
    const verdict = this.hidden(kind, key)
    if (verdict && !verdict.allowed) this.#rulings?.decided(verdict)
    return verdict?.message
  }

  /** What policy says of something that it keeps from the caller; undefined: nothing is kept under this name. */
  hidden(kind: 'tools' | 'prompts', key: string): Verdict | undefined {
    if (this.isOpen) return undefined
    const entry = this.#lists[kind].get(key)
    return entry && this.#permissions.verdict(objectOf(kind, entry.target, entry.own, entry.item))
  }

  /** The same of something by the name that its target has for it. */
  messageOfOwn(kind: ObjectKind, catalog: TargetCatalog, own: string): string | undefined {
    return this.isOpen ? undefined : this.#permissions.verdict(objectOf(kind, catalog, own)).message
  }

  messageOfUri(uri: string): string | undefined {
    const owner = this.#addressed(uri)
    if (!owner) return undefined
    const { exact } = readUri(this.#catalog.urisOf(owner).toOwn(uri))
    return this.messageOfOwn('resources', owner, exact)
  }

  /** The same of a target's own method, which goes to the only target or to the owner of a URI. */
  messageOfMethod(method: string, uri: string | undefined): string | undefined {
    const owner = this.#addressed(uri)
    return owner && this.messageOfOwn('methods', owner, method)
  }

  /** The target that a request is for, whether or not the caller may know of it. */
  #addressed(uri: string | undefined): TargetCatalog | undefined {
    const { catalogs } = this.#catalog
    if (this.isOpen || catalogs.length === 1) return catalogs[0]
    return uri === undefined ? undefined : catalogs.find((one) => this.#catalog.urisOf(one).owns(uri))
  }

  /** Whether any resource of a target is kept from the caller, by policy or for everybody. */
  isRestricted({ target }: TargetCatalog): boolean {
    const { include, exclude } = target.model.resources
    return include.length + exclude.length > 0 || !this.#permissions.mayCallAll(target.name, 'resources')
  }

  gaps(): Gap[] {
    return this.#catalog.gaps(this.catalogs)
  }

  /**
   * The capabilities of the targets, and those that the gateway adds: it makes tasks of its own of older servers' long
   * calls, and of calls that wait for approval.
   */
  capabilities(): ServerCapabilities {
    const capabilities = this.#catalog.capabilities(this.catalogs)
    if (capabilities.extensions?.[TASKS_EXTENSION]) return capabilities
    if (!this.#offersTasks() && !this.#permissions.isHolding) return capabilities
    return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} } }
  }

  #offersTasks(): boolean {
    const offering = [...this.#catalog.merged.tools.values()].filter(
      ({ taskSupport }) => taskSupport !== undefined,
    )
    return this.together(() => offering.some((entry) => this.lists('tools', entry)))
  }

  instructions(own: string | undefined): string | undefined {
    return this.#catalog.instructions(own, this.catalogs)
  }

  meta(): JsonObject {
    return this.#catalog.meta(this.catalogs)
  }

  /** When rules decide who sees what, a list must not be shown to other callers. */
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

function objectOf(
  kind: ObjectKind,
  { target, snapshot }: TargetCatalog,
  name: string,
  listed?: JsonObject,
  isTemplate = false,
): PolicyObject {
  const item = listed ?? (kind === 'tools' ? snapshot?.tools.find((one) => one.name === name) : undefined)
  return { kind, target: target.name, name, item, isTemplate }
}

const NOT_OFFERED: Verdict = { allowed: false, rule: undefined }

/** Whether the configuration leaves nothing of a target out. */
function isWhole({ model: { tools, prompts, resources } }: TargetCatalog['target']): boolean {
  return [tools, prompts, resources].every(({ include, exclude }) => include.length + exclude.length === 0)
}

const NOBODY = {}

interface PolicyWatchers {
  readonly rulings?: RuleCounts
  readonly log?: Log
}

/** What callers may see and call at one endpoint, under the rules that hold now. */
export class Policy {
  readonly #catalog: EndpointCatalog
  readonly #endpoint: string
  readonly #services: PolicyWatchers
  #rules: PolicyModel
  /** The endpoint as all callers see it; undefined while rules hide something from some of them. */
  #common: CallerCatalog | undefined
  /** By the credentials of the caller: what is merged and found out for one request holds for the next. */
  #known = new WeakMap<object, CallerCatalog>()

  constructor(catalog: EndpointCatalog, rules: PolicyModel, endpoint: string, services: PolicyWatchers = {}) {
    this.#catalog = catalog
    this.#services = services
    this.#endpoint = endpoint
    this.#rules = rules
    this.rules = rules
  }

  get rules(): PolicyModel {
    return this.#rules
  }

  set rules(rules: PolicyModel) {
    this.#rules = rules
    this.#known = new WeakMap()
    const visible = this.#visibleUnder(rules, {})
    this.#common = visible.isCommon && !rules.trial ? visible : undefined
  }

  /** The endpoint as a caller sees it. */
  visibleTo(
    caller: Pick<Exchange, 'session' | 'auth' | 'client'>,
    rules: PolicyModel = this.#rules,
  ): CallerCatalog {
    const listsOf = this.#catalog.listsFor(caller)
    if (!listsOf && rules === this.#rules && this.#common) return this.#common
    const { auth = NOBODY, client } = caller
    const known = !listsOf && rules === this.#rules ? this.#known.get(auth) : undefined
    if (known) return known
    const visible = this.#visibleUnder(rules, { auth: caller.auth, client, view: this.#endpoint }, listsOf)
    if (rules === this.#rules && visible.isLasting) this.#known.set(auth, visible)
    return visible
  }

  #visibleUnder(rules: PolicyModel, caller: Caller, listsOf?: ListsOf): CallerCatalog {
    const trial = rules.trial && permissionsOf(rules.trial, caller)
    const { rulings, log } = this.#services
    const onOverspent = (): void =>
      log?.('warn', 'The conditions for a list take too long together, so what was left is hidden', {
        endpoint: this.#endpoint,
        principal: caller.auth && describePrincipal(caller.auth.principal),
        event: 'expressions-too-long',
      })
    return new CallerCatalog(this.#catalog, permissionsOf(rules, caller), {
      listsOf,
      trial,
      rulings,
      onOverspent,
    })
  }
}
