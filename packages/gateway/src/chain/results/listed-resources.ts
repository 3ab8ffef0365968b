import type { JsonObject } from '@gantry/mcp/exchange'
import type { MergedEntry } from '../../catalog/merged.ts'
import type { ResultRule } from '../../model/index.ts'
import { ResultCleaner } from './result-cleaner.ts'
import type { ResultFindings } from './result-findings.ts'
import { isAbout } from './result-handling.ts'

/** An entry of a list as callers may see it; undefined where a rule refuses what it says. */
export type ShowEntry = (entry: MergedEntry) => JsonObject | undefined

/**
 * Lists of resources come from the data of a server, as results do. Clients need the URIs to read anything, so these
 * stay as they are.
 */
export function listedResources(rules: readonly ResultRule[], findings: ResultFindings): ShowEntry {
  const known = new WeakMap<JsonObject, { readonly shown: JsonObject | undefined }>()
  return (entry) => {
    let found = known.get(entry.item)
    if (!found) {
      found = { shown: cleaned(entry, rules, findings) }
      known.set(entry.item, found)
    }
    return found.shown
  }
}

function cleaned(
  { target: { target }, own, item }: MergedEntry,
  rules: readonly ResultRule[],
  findings: ResultFindings,
): JsonObject | undefined {
  const about = rules.filter((rule) => isAbout(rule, { kind: 'resources', target, name: own }))
  if (about.length === 0) return item
  const { uri, uriTemplate, ...said } = item
  try {
    const shown = new ResultCleaner(about, (name, action) => findings.add(name, action)).clean(said)
    if (shown === said) return item
    return { ...(uri !== undefined && { uri }), ...(uriTemplate !== undefined && { uriTemplate }), ...shown }
  } catch {
    return undefined
  }
}
