import type { JsonObject } from '@gantry/mcp/exchange'
import { isSelected, type NamesModel, type SelectionModel } from '../model/index.ts'
import { isSelectedUri } from './offers-uri.ts'
import { disambiguate, publicName } from './public-names.ts'
import { assignUris, type PublicUris } from './public-uris.ts'
import type { TargetCatalog } from './target-catalog.ts'

export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates'

/** One entry of a merged list and where it comes from. */
export interface MergedEntry {
  readonly target: TargetCatalog
  /** The name or URI that clients use. */
  readonly key: string
  /** The target's own name or URI. */
  readonly own: string
  readonly item: JsonObject
  /** Whether its calls can, or must, be tasks: what an older server says of a tool (2025-11-25, Tasks). */
  readonly taskSupport?: 'optional' | 'required' | undefined
  /** Set when the name belonged to another target already. */
  readonly collidesWith?: string
}

export interface Merged {
  readonly tools: ReadonlyMap<string, MergedEntry>
  readonly prompts: ReadonlyMap<string, MergedEntry>
  readonly resources: ReadonlyMap<string, MergedEntry>
  readonly templates: ReadonlyMap<string, MergedEntry>
  /** By the name of the target. */
  readonly uris: ReadonlyMap<string, PublicUris>
}

/** Puts the targets' lists together in the order of the configuration: the same every time. */
export function merge(
  catalogs: readonly TargetCatalog[],
  names: NamesModel,
  prefixOf: (catalog: TargetCatalog) => string,
): Merged {
  const merged = {
    tools: new Map<string, MergedEntry>(),
    prompts: new Map<string, MergedEntry>(),
    resources: new Map<string, MergedEntry>(),
    templates: new Map<string, MergedEntry>(),
    uris: assignUris(catalogs.map((one) => ({ name: one.target.name, prefix: prefixOf(one) }))),
  }
  for (const catalog of catalogs) {
    const { model } = catalog.target
    const prefix = prefixOf(catalog)
    const uris = merged.uris.get(catalog.target.name)!
    const shared = { catalog, prefix, names, uris }
    for (const item of catalog.snapshot?.tools ?? []) {
      addNamed(merged.tools, item, model.tools, shared)
    }
    for (const item of catalog.snapshot?.prompts ?? []) {
      addNamed(merged.prompts, item, model.prompts, shared)
    }
    for (const item of catalog.snapshot?.resources ?? []) addUri(merged.resources, catalog, item, 'uri', uris)
    for (const item of catalog.snapshot?.templates ?? []) {
      addUri(merged.templates, catalog, item, 'uriTemplate', uris)
    }
  }
  return merged
}

interface Shared {
  readonly catalog: TargetCatalog
  readonly prefix: string
  readonly names: NamesModel
  readonly uris: PublicUris
}

function addNamed(
  entries: Map<string, MergedEntry>,
  item: JsonObject,
  selection: SelectionModel,
  { catalog: target, prefix, names, uris }: Shared,
): void {
  const own = item.name
  if (typeof own !== 'string' || !isSelected(own, selection)) return
  const wanted = publicName(own, prefix, selection, names)
  const owner = entries.get(wanted)
  const isTaken = (name: string): boolean => entries.has(name)
  const key = owner ? disambiguate(wanted, target.target.name, names.maxLength, isTaken) : wanted
  // Tasks of that kind end at the gateway: its clients call the tool like any other, or get a task of ours.
  const { execution, ...rest } = item
  const changed: JsonObject = { ...rest, name: key }
  if (Object.hasOwn(selection.describe, own)) changed.description = selection.describe[own]
  if (typeof item._meta === 'object' && item._meta !== null) {
    changed._meta = uris.toolMeta(item._meta as JsonObject)
  }
  const entry: MergedEntry = { target, key, own, item: changed, taskSupport: taskSupportOf(execution) }
  entries.set(key, owner ? { ...entry, collidesWith: owner.target.target.name } : entry)
}

function taskSupportOf(execution: unknown): MergedEntry['taskSupport'] {
  const support = (execution as JsonObject | undefined)?.taskSupport
  return support === 'optional' || support === 'required' ? support : undefined
}

function addUri(
  entries: Map<string, MergedEntry>,
  target: TargetCatalog,
  item: JsonObject,
  member: 'uri' | 'uriTemplate',
  uris: PublicUris,
): void {
  const own = item[member]
  const selection = target.target.model.resources
  if (typeof own !== 'string' || !isSelectedUri(own, selection)) return
  const key = uris.toPublic(own)
  // Without a prefix two targets may offer one URI: the first in the configuration serves it.
  if (entries.has(key)) return
  const changed: JsonObject = { ...item, [member]: key }
  if (Object.hasOwn(selection.describe, own)) changed.description = selection.describe[own]
  entries.set(key, { target, key, own, item: changed })
}
