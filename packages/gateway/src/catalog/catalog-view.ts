import { META, writeJson, type JsonObject } from '@gantry/mcp/exchange'
import type { ServerCapabilities } from '@gantry/mcp/server'
import type { CatalogOptions } from './catalog.ts'
import { merge, type ListKind, type Merged, type MergedEntry } from './merged.ts'
import { PublicUris } from './public-uris.ts'
import type { Target } from '../targets/target.ts'
import type { TargetCatalog } from './target-catalog.ts'

/** A target whose entries are missing or old, and why; for callers. */
export interface Gap {
  readonly target: string
  readonly state: 'missing' | 'stale'
  readonly reason: string
}

export const GAPS = 'dev.gantry/gaps'
const TARGETS = 'dev.gantry/targets'

const AS_THEY_ARE = new PublicUris('')
const KINDS = ['tools', 'prompts', 'resources', 'templates'] as const

/** Some targets' offers under the names that one endpoint's clients see. */
export class CatalogView {
  readonly #options: () => CatalogOptions
  readonly #catalogs: () => readonly TargetCatalog[]
  readonly #prefixed: boolean
  #merged: Merged | undefined
  #seen: Partial<Record<ListKind, string>> = {}
  /** Grows with every change: what was cached for an older one is void. */
  generation = 0
  /** Called with the lists that are not what they were. */
  onChanged: ((kinds: ReadonlySet<ListKind>) => void) | undefined

  constructor(
    options: () => CatalogOptions,
    catalogs: () => readonly TargetCatalog[],
    { prefixed = true }: { prefixed?: boolean } = {},
  ) {
    this.#options = options
    this.#catalogs = catalogs
    this.#prefixed = prefixed
  }

  get catalogs(): readonly TargetCatalog[] {
    return this.#catalogs()
  }

  prefixOf(catalog: TargetCatalog): string {
    return this.#prefixed ? catalog.target.model.prefix : ''
  }

  urisOf({ target }: TargetCatalog): PublicUris {
    return this.merged.uris.get(target.name) ?? AS_THEY_ARE
  }

  get merged(): Merged {
    this.#merged ??= merge(this.catalogs, this.#options().names, (catalog) => this.prefixOf(catalog))
    return this.#merged
  }

  /** Compares with what was there before; lists that a target announced count as changed all the same. */
  changed(announced: Iterable<ListKind> = []): void {
    this.generation++
    this.#merged = undefined
    if (!this.onChanged) return
    const kinds = new Set<ListKind>(announced)
    for (const kind of KINDS) {
      const now = writeJson([...this.merged[kind].values()].map((entry) => entry.item))
      if (now !== (this.#seen[kind] ?? '[]')) kinds.add(kind)
      this.#seen[kind] = now
    }
    if (kinds.size > 0) this.onChanged(kinds)
  }

  /**
   * Waits until every target has been asked, each at most for the deadline since it was. Targets with a
   * last-known list are revalidated in the background: nobody waits for them.
   */
  async ready(): Promise<void> {
    const { deadline } = this.#options().model
    const waiting: Promise<unknown>[] = []
    for (const catalog of this.catalogs) {
      if (!catalog.target.model.enabled || catalog.isFresh || !catalog.isWorthAsking) continue
      const refreshing = catalog.refresh().catch(() => {})
      const left = catalog.waitUntil(deadline) - Date.now()
      if (left > 0) waiting.push(atMost(left, refreshing).then(() => catalog.noteMissing()))
    }
    if (waiting.length > 0) await Promise.all(waiting)
  }

  /** How long, and by whom, these lists may be kept (2026-07-28, Caching): what every target agrees to. */
  get caching(): { ttlMs: number; cacheScope: 'public' | 'private' } {
    const { catalogs } = this
    if (catalogs.length === 0) return { ttlMs: 0, cacheScope: 'private' }
    const isPublic = catalogs.every(({ snapshot }) => snapshot?.cacheScope === 'public')
    return {
      ttlMs: Math.min(...catalogs.map((catalog) => catalog.remainingTtl)),
      cacheScope: isPublic ? 'public' : 'private',
    }
  }

  find(kind: ListKind, key: string): MergedEntry | undefined {
    return this.merged[kind].get(key)
  }

  gaps(): Gap[] {
    return this.catalogs.flatMap((catalog): Gap[] => {
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

  capabilitiesOf(target: Target): ServerCapabilities | undefined {
    return this.catalogs.find((catalog) => catalog.target === target)?.snapshot?.discovery.capabilities
  }

  /**
   * What clients are promised. Older ones learn it once, when they connect, so what may come later has to be in
   * it: targets that have not answered yet, and any that the configuration brings while they are connected.
   */
  capabilities(): ServerCapabilities {
    const all: ServerCapabilities[] = []
    for (const { snapshot } of this.catalogs) if (snapshot) all.push(snapshot.discovery.capabilities)
    const open = this.#prefixed || all.length < this.catalogs.length
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

  /** Whether an older server says of a tool that its calls can be tasks. */
  get offersTasks(): boolean {
    for (const { taskSupport } of this.merged.tools.values()) if (taskSupport !== undefined) return true
    return false
  }

  /** Our own text, then each target's, named. */
  instructions(own: string | undefined): string | undefined {
    const parts = own === undefined ? [] : [own]
    const { catalogs } = this
    for (const { target, snapshot } of catalogs) {
      const text = snapshot?.discovery.instructions
      if (text) parts.push(catalogs.length === 1 ? text : `## ${target.model.title ?? target.name}\n${text}`)
    }
    return parts.length > 0 ? parts.join('\n\n') : undefined
  }

  /** Who is behind us, and what is missing. */
  meta(): JsonObject {
    const targets: JsonObject = {}
    for (const { target, snapshot } of this.catalogs) {
      targets[target.name] = snapshot?.discovery._meta?.[META.serverInfo] ?? null
    }
    const gaps = this.gaps()
    return gaps.length > 0 ? { [TARGETS]: targets, [GAPS]: gaps } : { [TARGETS]: targets }
  }
}

async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
