import type { AuditEntry, AuditList } from './contract.ts'
import { queryClient, type AuditAsked } from './queries.ts'
import { writeJson } from './json.ts'

/** Rows that a page keeps while new ones come. */
const MOST = 500

/** Puts new events in front of the searches that they fit. */
export function addAuditEvents(events: readonly AuditEntry[]): void {
  const searches = queryClient.getQueryCache().findAll({ queryKey: ['audit', 'search'], type: 'active' })
  for (const { queryKey } of searches) {
    const fresh = events.filter((event) => fits(event, queryKey[2] as AuditAsked)).reverse()
    queryClient.setQueryData(queryKey, (old: AuditList | undefined) => {
      if (!old || fresh.length === 0) return old
      const ids = new Set(fresh.map(({ id }) => id))
      const others = old.events.filter(({ id }) => !ids.has(id))
      return { ...old, events: [...fresh, ...others].slice(0, MOST) }
    })
  }
}

/** As the gateway searches. */
function fits(event: AuditEntry, { who, target, object, outcome, text, since }: AuditAsked): boolean {
  const has = (value: string | undefined, part: string) =>
    value?.toLowerCase().includes(part.toLowerCase()) ?? false
  return (
    (since === undefined || event.at >= since) &&
    (who === undefined || [event.who, event.client, event.from].some((one) => has(one, who))) &&
    (target === undefined || event.target === target) &&
    (object === undefined || has(event.object, object)) &&
    (outcome === undefined || event.outcome === outcome || event.decision === outcome) &&
    (text === undefined || has(writeJson(event.event), text))
  )
}
