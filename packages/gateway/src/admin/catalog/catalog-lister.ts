import { isJsonObject } from '@gantry/mcp/exchange'
import { publicName, type MergedEntry } from '../../catalog/merged.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { isExcludedUri, isSelectedUri } from '../../catalog/offers-uri.ts'
import { isSelected, keyPrincipal, forbidsName, nameForms, type SelectionModel } from '../../model/index.ts'
import type { Subject } from '../../rules/facts.ts'
import { Permissions } from '../../rules/permissions.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import type {
  CatalogEntry,
  CatalogEntryDetail,
  CatalogList,
  CatalogTarget,
  EntryKind,
  JsonObject,
} from '../contract.ts'
import type { TargetCards } from '../targets/target-cards.ts'
import type { ChangeLog } from './change-log.ts'
import { KINDS } from './compare-snapshots.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { lintTool } from './portability.ts'
import type { Handlers } from '../handlers.ts'

interface Wanted {
  readonly target?: string
  readonly kind?: EntryKind
  readonly limit?: number
  readonly brief?: boolean
}

interface Found {
  readonly entry: CatalogEntry
  readonly item: JsonObject
  readonly merged: MergedEntry | undefined
}

/** Lists the entries of all targets, with hidden ones and the reason why they are hidden. */
export class CatalogLister {
  readonly #host: AdminHost
  readonly #cards: TargetCards
  readonly #changes: ChangeLog
  #found: { generation: number; newest: number; policy: unknown; entries: Found[] } | undefined

  constructor(host: AdminHost, cards: TargetCards, changes: ChangeLog) {
    this.#host = host
    this.#cards = cards
    this.#changes = changes
  }

  list({ target, kind, limit, brief = false }: Wanted = {}): CatalogList {
    const { catalog } = this.#host.gateway
    const entries = this.#entries()
      .map(({ entry }) => entry)
      .filter((entry) => (target ?? entry.target) === entry.target && (kind ?? entry.kind) === entry.kind)
    const wanted = entries.slice(0, limit)
    return {
      generation: catalog.merged.generation,
      entries: brief ? wanted.map(withoutTexts) : wanted,
      total: entries.length,
      targets: catalog.catalogs.map((one) => this.#target(one)),
    }
  }

  detail(kind: EntryKind, key: string): CatalogEntryDetail {
    const found = this.#entries().find(({ entry }) => entry.kind === kind && entry.key === key)
    if (!found) {
      throw new ApiError('not_found', `There is no ${kind} "${key}"`, {
        fix: `"gantry why ${key}", or the page Why of the console, says why.`,
      })
    }
    const { entry, item, merged } = found
    const catalog = this.#host.gateway.catalog.catalogs.find(({ target }) => target.name === entry.target)!
    const { rename, describe } = selectionOf(catalog, kind)
    const { own } = entry
    const definition = merged?.item ?? item
    return {
      ...entry,
      definition,
      ownDefinition: item,
      portability: kind === 'tool' ? lintTool({ ...definition, name: entry.key }) : [],
      shownAs: {
        ...(Object.hasOwn(rename, own) && { name: rename[own]! }),
        ...(Object.hasOwn(describe, own) && { description: describe[own]! }),
      },
      changes: this.#changes.of(kind, entry.target, entry.own).reverse(),
    }
  }

  /** The name that clients use for something of a target's. */
  keyOf(kind: EntryKind, target: string, own: string): string {
    const known = this.#entries().find(
      ({ entry }) => entry.kind === kind && entry.target === target && entry.own === own,
    )
    return known?.entry.key ?? own
  }

  /** Made anew when anything that it is made from has changed. */
  #entries(): Found[] {
    const { catalog, model } = this.#host.gateway
    const { generation } = catalog.merged
    const { newest } = this.#changes
    const known = this.#found
    if (known?.generation === generation && known.newest === newest && known.policy === model.policy) {
      return known.entries
    }
    const entries = catalog.catalogs.flatMap((one) => this.#ofTarget(one))
    this.#found = { generation, newest, policy: model.policy, entries }
    return entries
  }

  #ofTarget(catalog: TargetCatalog): Found[] {
    const { merged } = this.#host.gateway.catalog
    return KINDS.flatMap(({ kind, list, id }) => {
      const visible = new Map<string, MergedEntry>()
      for (const entry of merged.merged[list].values())
        if (entry.target === catalog) visible.set(entry.own, entry)
      return (catalog.snapshot?.[list] ?? []).flatMap((item) => {
        const own = item[id]
        return typeof own === 'string' ? [this.#describe(catalog, kind, own, item, visible.get(own))] : []
      })
    })
  }

  #describe(
    catalog: TargetCatalog,
    kind: EntryKind,
    own: string,
    item: JsonObject,
    merged: MergedEntry | undefined,
  ): Found {
    const { target } = catalog
    const selection = selectionOf(catalog, kind)
    const wanted = this.#wantedName(catalog, kind, own)
    const hiddenBy = this.#hiddenBy(catalog, kind, own, merged)
    const definition = merged?.item ?? item
    const change = this.#changes.latest(kind, target.name, own)
    const key = merged?.key ?? wanted.short
    const findings = kind === 'tool' ? lintTool({ ...definition, name: key }).length : 0
    const entry: CatalogEntry = {
      kind,
      key,
      own,
      target: target.name,
      ...text('title', definition.title),
      ...text('description', definition.description),
      ...text('mimeType', definition.mimeType),
      ...(isJsonObject(definition.annotations) && { annotations: definition.annotations }),
      tokens: estimateTokens(definition),
      visible: hiddenBy === undefined,
      ...(hiddenBy && { hiddenBy }),
      ...(merged?.collidesWith !== undefined && { collidesWith: merged.collidesWith }),
      renamed: Object.hasOwn(selection.rename, own),
      shortened: wanted.short !== wanted.full,
      stale: catalog.stale,
      ...(change && { change: { type: change.type, at: change.at } }),
      ...(findings > 0 && { findings }),
    }
    return { entry, item, merged }
  }

  #wantedName(catalog: TargetCatalog, kind: EntryKind, own: string): { full: string; short: string } {
    const view = this.#host.gateway.catalog.merged
    if (kind === 'resource' || kind === 'template') {
      const uri = view.urisOf(catalog).toPublic(own)
      return { full: uri, short: uri }
    }
    const { names } = this.#host.gateway.model
    const prefix = view.prefixOf(catalog)
    const selection = selectionOf(catalog, kind)
    return {
      full: publicName(own, prefix, selection, { ...names, maxLength: Number.POSITIVE_INFINITY }),
      short: publicName(own, prefix, selection, names),
    }
  }

  #hiddenBy(
    catalog: TargetCatalog,
    kind: EntryKind,
    own: string,
    merged: MergedEntry | undefined,
  ): CatalogEntry['hiddenBy'] {
    const selection = selectionOf(catalog, kind)
    const isUri = objectKind(kind) === 'resources'
    if (!(isUri ? isSelectedUri(own, selection) : isSelected(own, selection))) {
      const isExcluded = isUri
        ? isExcludedUri(own, selection)
        : selection.exclude.some((pattern) => forbidsName(nameForms(pattern), nameForms(own)))
      return isExcluded ? 'exclude' : 'include'
    }
    if (!merged) return 'duplicate-uri'
    const isTemplate = kind === 'template'
    const { item } = merged
    const object = { kind: objectKind(kind), target: catalog.target.name, name: own, item, isTemplate }
    const { policy } = this.#host.gateway.model
    return this.#subjects().some((subject) => new Permissions(policy, { auth: subject }).maySee(object))
      ? undefined
      : 'policy'
  }

  /** Everybody that can come in, as far as that is known: tokens and keys of the store may bring anybody. */
  #subjects(): Subject[] {
    const { auth, policy } = this.#host.gateway.model
    const keys = auth.apiKeys.map(({ name, scopes }) => ({ principal: keyPrincipal(name), scopes }))
    const issuer = auth.signIn ?? auth.issuers[0]
    if (!issuer && !auth.keys) return keys.length > 0 ? keys : [undefined]
    const anybody = issuer
      ? ({ kind: 'person', issuer: issuer.issuer, subject: '' } as const)
      : keyPrincipal('')
    const named = policy.rules.map(({ who }) => ({
      principal: who.principals[0] ?? (auth.keys && who.apiKeys[0] ? keyPrincipal(who.apiKeys[0]) : anybody),
      scopes: who.scopes.slice(0, 1),
    }))
    return [...keys, ...named]
  }

  #target(catalog: TargetCatalog): CatalogTarget {
    const { name, model } = catalog.target
    const [gap] = this.#host.gateway.catalog.merged.gaps([catalog])
    return {
      name,
      ...(model.title !== undefined && { title: model.title }),
      counts: this.#cards.countsOf(catalog),
      ...(catalog.snapshot && { fetchedAt: catalog.snapshot.fetchedAt }),
      stale: catalog.stale,
      ...(gap && { gap: { state: gap.state, reason: catalog.problem ?? gap.reason } }),
    }
  }
}

function withoutTexts({ title: _, description: __, annotations: ___, ...entry }: CatalogEntry): CatalogEntry {
  return entry
}

export function selectionOf(catalog: TargetCatalog, kind: EntryKind): SelectionModel {
  return catalog.target.model[objectKind(kind)]
}

/** Templates are selected and permitted like resources. */
export function objectKind(kind: EntryKind): 'tools' | 'prompts' | 'resources' {
  return kind === 'tool' ? 'tools' : kind === 'prompt' ? 'prompts' : 'resources'
}

function text<Key extends string>(key: Key, value: unknown): { [K in Key]?: string } {
  return typeof value === 'string' ? ({ [key]: value } as { [K in Key]: string }) : {}
}

export function catalogHandlers(
  host: AdminHost,
  lister: CatalogLister,
  changes: ChangeLog,
): Pick<Handlers, 'catalog' | 'catalogEntry' | 'catalogChanges'> {
  return {
    catalog: async ({ query }) => {
      const { catalog } = host.gateway
      // A command that runs without a gateway waits for this answer alone, so it asks every target.
      if (query?.refresh) await (host.front ? catalog.merged.ready(catalog.catalogs) : catalog.refreshAll())
      return lister.list(query)
    },
    catalogEntry: ({ query }) => lister.detail(query.kind, query.key),
    catalogChanges: ({ query }) => changes.list(query ?? {}),
  }
}
