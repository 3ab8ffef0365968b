import { META, writeJson, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import type { Implementation, ServerCapabilities } from '@gantry/mcp/server'
import { type CatalogModel, type NamesModel, type ViewModel, withoutHidden } from '../model/index.ts'
import { atMost } from './at-most.ts'
import type { CatalogStore } from './catalog-store.ts'
import type { ListKind, Snapshot } from './fetch-lists.ts'
import { merge, type IsThere, type ListsOf, type Merged, type MergedEntry } from './merged.ts'
import { PublicUris } from './public-uris.ts'
import type { Target } from '../targets/target.ts'
import type { TargetCatalog } from './target-catalog.ts'

export interface CatalogOptions {
  readonly model: CatalogModel
  readonly names: NamesModel
  readonly info: Implementation
  readonly store: CatalogStore | undefined
  readonly onReplaced?: ((target: Target, before: Snapshot, after: Snapshot) => void) | undefined
  readonly onChanged?: (() => void) | undefined
}

/** A target whose entries are missing or old, and why; for callers. */
export interface Gap {
  readonly target: string
  readonly state: 'missing' | 'stale'
  readonly reason: string
}

/** A target and its changed lists. */
export interface Announced {
  readonly target: Target
  readonly kinds: ReadonlySet<ListKind>
}

/** The lists that changed, each with the changed entries, before and after. */
export type ListChangeSet = ReadonlyMap<ListKind, readonly MergedEntry[]>

export const GAPS = 'dev.gantry/gaps'
const TARGETS = 'dev.gantry/targets'

/** How long a list waits for the start of the only target of an endpoint. Many clients give up after 30 seconds. */
const START_PATIENCE = 25_000

const AS_THEY_ARE = new PublicUris('')
const KINDS = ['tools', 'prompts', 'resources', 'templates'] as const

/** What some targets offer, under the names that the clients of an endpoint see. */
export class EndpointCatalog {
  readonly #options: () => CatalogOptions
  readonly #catalogs: () => readonly TargetCatalog[]
  readonly #prefixed: boolean
  readonly #shapes: () => ViewModel['entries'] | undefined
  #merged: Merged | undefined
  #hasOwnLists = false
  #seen: Partial<Record<ListKind, ReadonlyMap<string, SeenEntry>>> = {}
  /** Grows with every change. Whatever was cached for an older generation is void. */
  generation = 0
  onChanged: ((changes: ListChangeSet) => void) | undefined

  constructor(
    options: () => CatalogOptions,
    catalogs: () => readonly TargetCatalog[],
    {
      prefixed = true,
      shapes = () => undefined,
    }: { prefixed?: boolean; shapes?: () => ViewModel['entries'] | undefined } = {},
  ) {
    this.#options = options
    this.#catalogs = catalogs
    this.#prefixed = prefixed
    this.#shapes = shapes
  }

  get catalogs(): readonly TargetCatalog[] {
    return this.#catalogs()
  }

  prefixOf(catalog: TargetCatalog): string {
    return this.#prefixed ? catalog.target.model.prefix : ''
  }

  /** The separator between a prefix and a name. */
  get separator(): string {
    return this.#options().names.separator
  }

  urisOf({ target }: TargetCatalog): PublicUris {
    return this.merged.uris.get(target.name) ?? AS_THEY_ARE
  }

  get merged(): Merged {
    this.#merged ??= this.#merge()
    return this.#merged
  }

  /** The lists for a caller who may not see everything. A hidden entry does not take the name of a visible one. */
  mergedFor(isThere: IsThere, listsOf?: ListsOf): Merged {
    return this.merged.isContested || listsOf ? this.#merge(isThere, listsOf) : this.merged
  }

  #merge(isThere?: IsThere, listsOf?: ListsOf): Merged {
    const shapes = this.#shapes()
    return merge(this.catalogs, this.#options().names, (catalog) => this.prefixOf(catalog), {
      isThere,
      listsOf,
      shapes,
    })
  }

  /** The lists of targets that offer this caller something else than other callers; undefined when no target does. */
  listsFor(caller: Pick<Exchange, 'session' | 'auth'>): ListsOf | undefined {
    if (!this.#hasOwnLists || !this.catalogs.some(({ own }) => own.of(caller))) return undefined
    return (catalog) => catalog.own.of(caller) ?? catalog.snapshot
  }

  /** Compares the lists with those before. A list that a target announced counts as changed in any case. */
  changed(announced?: Announced): void {
    this.generation++
    this.#hasOwnLists = this.catalogs.some(({ own }) => own.hasSome)
    const shown = this.#merged
    this.#merged = undefined
    if (!this.onChanged) return
    const changes = new Map<ListKind, readonly MergedEntry[]>()
    for (const kind of KINDS) {
      // Before the first change, clients have the lists that they fetched.
      const before = this.#seen[kind] ?? (shown && seenEntries(shown[kind]))
      const now = seenEntries(this.merged[kind])
      this.#seen[kind] = now
      const differing = differences(before, now)
      const isAnnounced = announced?.kinds.has(kind) === true
      if (isAnnounced && !differing.some(({ target }) => target.target === announced.target)) {
        for (const { entry } of now.values()) {
          if (entry.target.target === announced.target) differing.push(entry)
        }
      }
      if (isAnnounced || differing.length > 0) changes.set(kind, differing)
    }
    if (changes.size > 0) this.onChanged(changes)
  }

  /** Waits for these targets until their deadlines; those with a known list are not awaited. */
  ready(catalogs: readonly TargetCatalog[]): Promise<void> {
    const { deadline } = this.#options().model
    return this.#ready(catalogs, (catalog) => catalog.waitUntil(deadline) - Date.now())
  }

  async #ready(
    catalogs: readonly TargetCatalog[],
    timeLeft: (catalog: TargetCatalog) => number,
  ): Promise<void> {
    const waiting: Promise<unknown>[] = []
    for (const catalog of catalogs) {
      if (!catalog.target.model.enabled || catalog.isFresh || !catalog.isWorthAsking) continue
      const refreshing = catalog.refresh().catch(() => {})
      const left = catalog.snapshot ? 0 : timeLeft(catalog)
      if (left > 0) waiting.push(atMost(left, refreshing).then(() => catalog.noteMissing()))
    }
    if (waiting.length > 0) await Promise.all(waiting)
  }

  /**
   * The same for a caller who wants to see the lists. Waits for targets that have to be asked every time. If the
   * endpoint has only one target, it also waits for the target's start, because no other target is held up.
   */
  async current(catalogs: readonly TargetCatalog[]): Promise<void> {
    const { deadline } = this.#options().model
    const asked = catalogs.filter((one) => one.target.model.enabled && one.isAskedEveryTime)
    const anew = asked.map((one) =>
      atMost(
        deadline,
        one.fetchAnew().catch(() => {}),
      ),
    )
    const isAlone = !this.#prefixed
    const ready = isAlone
      ? this.#ready(catalogs, () => Math.max(deadline, START_PATIENCE))
      : this.ready(catalogs)
    await Promise.all([ready, ...anew])
  }

  /** How long these lists may be cached, and for which callers (2026-07-28, Caching). The strictest target decides. */
  caching(catalogs: readonly TargetCatalog[]): { ttlMs: number; cacheScope: 'public' | 'private' } {
    if (catalogs.length === 0) return { ttlMs: 0, cacheScope: 'private' }
    const isPublic = catalogs.every(({ snapshot }) => snapshot?.cacheScope === 'public')
    return {
      ttlMs: Math.min(...catalogs.map((catalog) => catalog.remainingTtl)),
      cacheScope: isPublic ? 'public' : 'private',
    }
  }

  gaps(catalogs: readonly TargetCatalog[]): Gap[] {
    return catalogs.flatMap((catalog): Gap[] => {
      const { name, model } = catalog.target
      if (!model.enabled) return []
      if (!catalog.snapshot) {
        return [{ target: name, state: 'missing', reason: catalog.gapReason }]
      }
      if (!catalog.stale) return []
      const state = catalog.lacking ? 'missing' : 'stale'
      return [{ target: name, state, reason: catalog.gapReason }]
    })
  }

  /** The capabilities that clients get. Legacy clients get them once, so they include all that may come later. */
  capabilities(catalogs: readonly TargetCatalog[]): ServerCapabilities {
    const all: ServerCapabilities[] = []
    for (const { snapshot } of catalogs) if (snapshot) all.push(snapshot.discovery.capabilities)
    const open = this.#prefixed || all.length < catalogs.length
    const capabilities: ServerCapabilities = { logging: {} }
    if (all.some((one) => one.completions)) capabilities.completions = {}
    if (open || all.some((one) => one.tools)) capabilities.tools = { listChanged: true }
    if (open || all.some((one) => one.prompts)) capabilities.prompts = { listChanged: true }
    if (open || all.some((one) => one.resources)) {
      capabilities.resources = { subscribe: true, listChanged: true }
    }
    const extensions = Object.assign({}, ...all.map((one) => one.extensions ?? {})) as Record<
      string,
      JsonObject
    >
    if (Object.keys(extensions).length > 0) capabilities.extensions = extensions
    return capabilities
  }

  /** The instructions of the gateway, then those of each target with its name. */
  instructions(own: string | undefined, catalogs: readonly TargetCatalog[]): string | undefined {
    const parts = own === undefined ? [] : [own]
    for (const { target, snapshot } of catalogs) {
      const text = withoutHidden(snapshot?.discovery.instructions ?? '')
      if (text) parts.push(catalogs.length === 1 ? text : `## ${target.model.title ?? target.name}\n${text}`)
    }
    return parts.length > 0 ? parts.join('\n\n') : undefined
  }

  /** The targets of the endpoint, and which are missing. */
  meta(catalogs: readonly TargetCatalog[]): JsonObject {
    const targets: JsonObject = {}
    for (const { target, snapshot } of catalogs) {
      targets[target.name] = snapshot?.discovery._meta?.[META.serverInfo] ?? null
    }
    const gaps = this.gaps(catalogs)
    return gaps.length > 0 ? { [TARGETS]: targets, [GAPS]: gaps } : { [TARGETS]: targets }
  }
}

interface SeenEntry {
  readonly entry: MergedEntry
  readonly text: string
}

function seenEntries(entries: ReadonlyMap<string, MergedEntry>): Map<string, SeenEntry> {
  const seen = new Map<string, SeenEntry>()
  for (const [key, entry] of entries) seen.set(key, { entry, text: writeJson(entry.item) })
  return seen
}

/** Entries that were removed, added or changed. */
function differences(
  before: ReadonlyMap<string, SeenEntry> | undefined,
  now: ReadonlyMap<string, SeenEntry>,
): MergedEntry[] {
  const differing: MergedEntry[] = []
  for (const [key, { entry, text }] of now) if (before?.get(key)?.text !== text) differing.push(entry)
  for (const [key, { entry, text }] of before ?? []) if (now.get(key)?.text !== text) differing.push(entry)
  return differing
}
