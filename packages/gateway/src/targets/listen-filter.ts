import { isJsonObject } from '@gantry/mcp/exchange'
import type { SubscriptionFilter } from '@gantry/mcp/server'

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const
const NAMES = ['resourceSubscriptions', 'taskIds'] as const

/** What a target says that it agreed to. */
export function filterOf(value: unknown): SubscriptionFilter {
  return isJsonObject(value) ? (value as SubscriptionFilter) : {}
}

/** Everything that any of the filters asks for. */
export function union(filters: readonly SubscriptionFilter[]): SubscriptionFilter {
  const all: SubscriptionFilter = {}
  for (const list of LISTS) if (filters.some((filter) => filter[list] === true)) all[list] = true
  for (const member of NAMES) {
    const names = new Set(filters.flatMap((filter) => namesOf(filter, member)))
    if (names.size > 0) all[member] = [...names]
  }
  return all
}

/** Whether one filter asks for all that another does. */
export function covers(wide: SubscriptionFilter, narrow: SubscriptionFilter): boolean {
  if (LISTS.some((list) => narrow[list] === true && wide[list] !== true)) return false
  return NAMES.every((member) => {
    const names = new Set(namesOf(wide, member))
    return namesOf(narrow, member).every((name) => names.has(name))
  })
}

export function namesOf(filter: SubscriptionFilter, member: (typeof NAMES)[number]): string[] {
  const names: unknown = filter[member]
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}
