import type { JsonObject } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import { SAME } from '../targets/connection/older-era.ts'
import type { Target } from '../targets/target.ts'
import { fetchLists, type FetchedLists } from './fetch-lists.ts'

const KINDS = { tools: 'name', prompts: 'name', resources: 'uri' } as const

/** Adds what a dual-era server offers in the older era alone, and tells the target where each is found. */
export async function addOlderLists(
  lists: FetchedLists,
  target: Target,
  info: Implementation,
): Promise<FetchedLists> {
  const { older } = target
  const fetched =
    older?.link &&
    (await fetchLists({
      send: (exchange) => target.handleOwn(exchange, older),
      capabilities: older.link.discovery.capabilities,
      info,
      before: undefined,
    }).catch(() => undefined))
  const onlyOlder = new Set<string>()
  const onlyNewer = new Set<string>()
  const all = { ...lists }
  for (const [kind, member] of fetched ? Object.entries(KINDS) : []) {
    const list = kind as keyof typeof KINDS
    const [newer, olderItems] = [lists[list], fetched!.lists[list]]
    const more = without(olderItems, newer, member)
    all[list] = [...newer, ...more]
    for (const item of more) onlyOlder.add(`${list} ${String(item[member])}`)
    for (const item of without(newer, olderItems, member)) onlyNewer.add(`${list} ${String(item[member])}`)
  }
  target.olderEra.differences = onlyOlder.size + onlyNewer.size > 0 ? { onlyOlder, onlyNewer } : SAME
  return all
}

/** The items that another list does not have. */
function without(items: readonly JsonObject[], other: readonly JsonObject[], member: string): JsonObject[] {
  const names = new Set(other.map((item) => item[member]))
  return items.filter((item) => !names.has(item[member]))
}
