import type { JsonObject } from '@gantry/mcp/exchange'
import {
  isSelected,
  type NamesModel,
  type SelectionModel,
  viewEntryKey,
  type ViewModel,
} from '../model/index.ts'
import { fitsView, shapeEntry } from './view/shape-entry.ts'
import { isSelectedUri } from './offers-uri.ts'
import { PublicUris } from './public-uris.ts'
import type { ListKind, Snapshot } from './fetch-lists.ts'
import type { TargetCatalog } from './target-catalog.ts'
import { createHash } from 'node:crypto'

export type { ListKind } from './fetch-lists.ts'

/** One entry of a merged list and where it comes from. */
export interface MergedEntry {
  readonly target: TargetCatalog
  /** The name or URI that clients use. */
  readonly key: string
  /** The target's own name or URI. */
  readonly own: string
  readonly item: JsonObject
  /** The entry as the target lists it, where the endpoint shows something else. */
  readonly original?: JsonObject | undefined
  /** Whether its calls can, or must, be tasks: what an older server says of a tool (2025-11-25, Tasks). */
  readonly taskSupport?: 'optional' | 'required' | undefined
  /** Set when another target already had the name. */
  readonly collidesWith?: string
}

export interface Merged {
  readonly tools: ReadonlyMap<string, MergedEntry>
  readonly prompts: ReadonlyMap<string, MergedEntry>
  readonly resources: ReadonlyMap<string, MergedEntry>
  readonly templates: ReadonlyMap<string, MergedEntry>
  /** By the name of the target. */
  readonly uris: ReadonlyMap<string, PublicUris>
  /** Two targets want one name or URI. The first has it; without the first, the second would. */
  readonly isContested: boolean
}

/** Whether something of a target, by its own name or URI, is there at all. */
export type IsThere = (
  kind: 'tools' | 'prompts' | 'resources',
  target: TargetCatalog,
  own: string,
  item: JsonObject,
) => boolean

/** What a target offers. */
export type ListsOf = (catalog: TargetCatalog) => Pick<Snapshot, ListKind> | undefined

interface Merging extends Merged {
  readonly tools: Map<string, MergedEntry>
  readonly prompts: Map<string, MergedEntry>
  readonly resources: Map<string, MergedEntry>
  readonly templates: Map<string, MergedEntry>
  isContested: boolean
}

const EVERYTHING: IsThere = () => true

/** Puts the targets' lists together in the order of the configuration: the same every time. */
export function merge(
  catalogs: readonly TargetCatalog[],
  names: NamesModel,
  prefixOf: (catalog: TargetCatalog) => string,
  {
    isThere = EVERYTHING,
    listsOf = ({ snapshot }) => snapshot,
    shapes,
  }: { isThere?: IsThere | undefined; listsOf?: ListsOf | undefined; shapes?: Shapes | undefined } = {},
): Merged {
  const merged: Merging = {
    tools: new Map<string, MergedEntry>(),
    prompts: new Map<string, MergedEntry>(),
    resources: new Map<string, MergedEntry>(),
    templates: new Map<string, MergedEntry>(),
    uris: new Map(catalogs.map((one) => [one.target.name, new PublicUris(prefixOf(one))])),
    isContested: false,
  }
  const given = shapes && givenNames(catalogs, shapes, listsOf, isThere)
  for (const catalog of catalogs) {
    const { model } = catalog.target
    const prefix = prefixOf(catalog)
    const uris = merged.uris.get(catalog.target.name)!
    const shared = { merged, catalog, prefix, names, uris, isThere, shapes, given }
    const lists = listsOf(catalog)
    for (const item of lists?.tools ?? []) {
      addNamed('tools', item, model.tools, shared)
    }
    for (const item of lists?.prompts ?? []) {
      addNamed('prompts', item, model.prompts, shared)
    }
    for (const item of lists?.resources ?? []) addUri('resources', item, 'uri', shared)
    for (const item of lists?.templates ?? []) {
      addUri('templates', item, 'uriTemplate', shared)
    }
  }
  return merged
}

/** How tools and prompts look in a view. */
type Shapes = ViewModel['entries']

/** The names that a view gives to what is there: nothing else is called so, whatever a target calls its tools. */
function givenNames(
  catalogs: readonly TargetCatalog[],
  shapes: Shapes,
  listsOf: ListsOf,
  isThere: IsThere,
): ReadonlySet<string> {
  const given = new Set<string>()
  for (const catalog of catalogs) {
    const lists = listsOf(catalog)
    for (const kind of ['tools', 'prompts'] as const) {
      for (const item of lists?.[kind] ?? []) {
        const own = String(item.name)
        const name = shapes.get(viewEntryKey(kind, catalog.target.name, own))?.name
        if (name !== undefined && isThere(kind, catalog, own, item)) given.add(`${kind} ${name}`)
      }
    }
  }
  return given
}

interface Shared {
  readonly merged: Merging
  readonly given: ReadonlySet<string> | undefined
  readonly shapes: Shapes | undefined
  readonly isThere: IsThere
  readonly catalog: TargetCatalog
  readonly prefix: string
  readonly names: NamesModel
  readonly uris: PublicUris
}

function addNamed(
  kind: 'tools' | 'prompts',
  item: JsonObject,
  selection: SelectionModel,
  { merged, catalog: target, prefix, names, uris, isThere, shapes, given }: Shared,
): void {
  const own = item.name
  if (typeof own !== 'string' || !isSelected(own, selection) || !isThere(kind, target, own, item)) return
  const entries = merged[kind]
  const shape = shapes?.get(viewEntryKey(kind, target.target.name, own))
  if (shape && !fitsView(item, shape)) return
  const wanted = shape?.name ?? publicName(own, prefix, selection, names)
  const owner = entries.get(wanted)
  const isGiven = shape?.name === undefined && given?.has(`${kind} ${wanted}`) === true
  const isTaken = (name: string): boolean => entries.has(name) || given?.has(`${kind} ${name}`) === true
  const key = owner || isGiven ? disambiguate(wanted, target.target.name, names.maxLength, isTaken) : wanted
  // Tasks of that kind end at the gateway: its clients call the tool like any other, or get a task of the gateway.
  const { execution, ...rest } = item
  const changed: JsonObject = { ...rest, name: key }
  if (Object.hasOwn(selection.describe, own)) changed.description = selection.describe[own]
  if (typeof item._meta === 'object' && item._meta !== null) {
    changed._meta = uris.toolMeta(item._meta as JsonObject)
  }
  const entry: MergedEntry = {
    target,
    key,
    own,
    item: shape ? shapeEntry(changed, shape) : changed,
    original: shape && item,
    taskSupport: taskSupportOf(execution),
  }
  if (owner || isGiven) merged.isContested = true
  entries.set(key, owner ? { ...entry, collidesWith: owner.target.target.name } : entry)
}

function taskSupportOf(execution: unknown): MergedEntry['taskSupport'] {
  const support = (execution as JsonObject | undefined)?.taskSupport
  return support === 'optional' || support === 'required' ? support : undefined
}

function addUri(
  kind: 'resources' | 'templates',
  item: JsonObject,
  member: 'uri' | 'uriTemplate',
  { merged, catalog: target, uris, isThere }: Shared,
): void {
  const own = item[member]
  const selection = target.target.model.resources
  if (typeof own !== 'string' || !isSelectedUri(own, selection) || !isThere('resources', target, own, item))
    return
  const entries = merged[kind]
  const key = uris.toPublic(own)
  // Without a prefix two targets may offer one URI: the first in the configuration serves it.
  if (entries.has(key)) {
    merged.isContested = true
    return
  }
  const changed: JsonObject = { ...item, [member]: key }
  if (Object.hasOwn(selection.describe, own)) changed.description = selection.describe[own]
  entries.set(key, { target, key, own, item: changed })
}

const HASH_CHARACTERS = 6

/** The name that clients see: `target_tool` unless configured otherwise; long names end in a hash. */
export function publicName(
  own: string,
  prefix: string,
  selection: SelectionModel,
  names: NamesModel,
): string {
  const renamed = Object.hasOwn(selection.rename, own) ? selection.rename[own]! : own
  const full = prefix === '' ? renamed : `${prefix}${names.separator}${renamed}`
  return shorten(full, names.maxLength)
}

/** Deterministic, so that the same long name is shortened alike by every replica and after every start. */
export function shorten(name: string, maxLength: number): string {
  return name.length <= maxLength ? name : marked(name, shortHash(name), maxLength)
}

/** Gives the second owner of a name another one that is free. */
export function disambiguate(
  name: string,
  target: string,
  maxLength: number,
  isTaken: (name: string) => boolean,
): string {
  for (let salt = `${target}\n${name}`; ; salt += '\n') {
    const apart = marked(name, shortHash(salt), maxLength)
    if (!isTaken(apart)) return apart
  }
}

function marked(name: string, mark: string, maxLength: number): string {
  const kept = name.slice(0, maxLength - mark.length - 1)
  // Half of a surrogate pair cannot be written into headers, and not every client can read it.
  return `${kept.replace(/[\uD800-\uDBFF]$/, '')}_${mark}`
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)
}
