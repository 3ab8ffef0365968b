import type { Snapshot } from '../../catalog/target-catalog.ts'
import { isSame } from '../../model/index.ts'
import type { CatalogChange, EntryKind, JsonObject } from '../contract.ts'
import { compareDefinitions } from './compare-definitions.ts'

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

/** What is different between two lists of a target. */
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
