import { isJsonObject, writeJson } from '@gantry/mcp/exchange'
import type { Snapshot } from '../../catalog/fetch-lists.ts'
import { isSame } from '../../model/index.ts'
import type { CatalogChange, EntryKind, JsonObject, ChangedPart } from '../contract.ts'
import { textDiff } from '../config/text-diff.ts'

export const KINDS: readonly {
  kind: EntryKind
  list: 'tools' | 'prompts' | 'resources' | 'templates'
  id: string
}[] = [
  { kind: 'tool', list: 'tools', id: 'name' },
  { kind: 'prompt', list: 'prompts', id: 'name' },
  { kind: 'resource', list: 'resources', id: 'uri' },
  { kind: 'template', list: 'templates', id: 'uriTemplate' },
]

type NewChange = Omit<CatalogChange, 'id'>

export async function compareSnapshots(
  target: string,
  before: Snapshot,
  after: Snapshot,
  keyOf: (kind: EntryKind, own: string) => string,
): Promise<NewChange[]> {
  const changes: NewChange[] = []
  const at = after.fetchedAt
  for (const { kind, list, id } of KINDS) {
    const was = byId(before[list], id)
    const is = byId(after[list], id)
    const change = (own: string, type: CatalogChange['type'], parts: NewChange['parts'] = []): void => {
      changes.push({ at, target, kind, own, key: keyOf(kind, own), type, parts })
    }
    for (const own of was.keys()) if (!is.has(own)) change(own, 'removed')
    for (const [own, item] of is) {
      const old = was.get(own)
      if (!old) change(own, 'added')
      else if (!isSame(old, item)) change(own, 'changed', await compareDefinitions(old, item))
    }
  }
  return changes
}

function byId(items: readonly JsonObject[], id: string): Map<string, JsonObject> {
  return new Map(items.map((item) => [String(item[id]), item]))
}

/** Which members of a definition are different, how, and in words where that is possible. */
async function compareDefinitions(before: JsonObject, after: JsonObject): Promise<ChangedPart[]> {
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = members.filter((member) => !isSame(before[member], after[member]))
  return Promise.all(
    changed.map(async (member) => ({
      member,
      summary: summarise(member, before[member], after[member]),
      diff: await textDiff(print(before[member]), print(after[member])),
    })),
  )
}

function print(value: unknown): string {
  if (value === undefined) return ''
  return `${typeof value === 'string' ? value : writeJson(value, undefined, 2)}\n`
}

function summarise(member: string, before: unknown, after: unknown): string[] {
  if (before === undefined) return [`"${member}" is new`]
  if (after === undefined) return [`"${member}" is gone`]
  if (isJsonObject(before) && isJsonObject(after) && /Schema$/.test(member))
    return compareSchemas(before, after)
  return []
}

function compareSchemas(before: JsonObject, after: JsonObject): string[] {
  const was = isJsonObject(before.properties) ? before.properties : {}
  const is = isJsonObject(after.properties) ? after.properties : {}
  const wasRequired = new Set(Array.isArray(before.required) ? before.required : [])
  const isRequired = new Set(Array.isArray(after.required) ? after.required : [])
  const words: string[] = []
  for (const name of Object.keys(is)) {
    if (!Object.hasOwn(was, name))
      words.push(`"${name}" is new${isRequired.has(name) ? ' and required' : ''}`)
  }
  for (const name of Object.keys(was)) {
    if (!Object.hasOwn(is, name)) {
      words.push(`"${name}" is gone`)
      continue
    }
    words.push(...compareProperty(name, was[name], is[name]))
    if (isRequired.has(name) && !wasRequired.has(name)) words.push(`"${name}" became required`)
    if (!isRequired.has(name) && wasRequired.has(name)) words.push(`"${name}" became optional`)
  }
  return words
}

function compareProperty(name: string, before: unknown, after: unknown): string[] {
  if (isSame(before, after) || !isJsonObject(before) || !isJsonObject(after)) return []
  if (!isSame(before.type, after.type)) {
    return [`"${name}" was ${JSON.stringify(before.type)} and is ${JSON.stringify(after.type)}`]
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !isSame(before[key], after[key]),
  )
  return [`"${name}": ${keys.join(', ')} changed`]
}
