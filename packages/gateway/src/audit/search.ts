import type { JsonObject } from '@gantry/mcp/exchange'
import { parseEvent, readLines } from './read-events.ts'
import { factsOf, listSegments } from './segments.ts'

/** What is looked for; all of it must hold. */
export interface AuditQuery {
  /** Part of the subject, the client or the address, in any case. */
  readonly who?: string | undefined
  readonly target?: string | undefined
  /** Part of the name of a tool, prompt or resource. */
  readonly object?: string | undefined
  readonly operation?: string | undefined
  /** Such as `denied`, `ok`, `tool-error`. */
  readonly outcome?: string | undefined
  readonly rule?: string | undefined
  /** Milliseconds since 1970. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Any part of the event. */
  readonly text?: string | undefined
}

/** An event in the words of this program. */
export interface FoundEvent {
  readonly id: string
  readonly at: number
  readonly operation: string
  readonly who: string
  readonly client: string | undefined
  readonly from: string
  readonly target: string | undefined
  readonly object: string | undefined
  readonly decision: 'allowed' | 'denied' | undefined
  readonly rule: string | undefined
  readonly outcome: string
  readonly detail: string | undefined
  readonly durationMs: number | undefined
  /** As it is kept. */
  readonly event: JsonObject
}

interface Kept {
  readonly time?: number
  readonly action_id?: number
  readonly metadata?: { readonly uid?: string }
  readonly api?: { readonly operation?: string }
  readonly status_detail?: string
  readonly actor?: {
    readonly app_name?: string
    readonly user?: { readonly name?: string; readonly type?: string }
    readonly authorizations?: readonly { readonly policy?: { readonly name?: string } }[]
  }
  readonly src_endpoint?: { readonly ip?: string; readonly name?: string }
  readonly dst_endpoint?: { readonly svc_name?: string }
  readonly resources?: readonly { readonly name?: string }[]
  readonly unmapped?: { readonly outcome?: string; readonly duration_ms?: number }
}

export function toFound(event: JsonObject): FoundEvent {
  const { actor, api, metadata, unmapped, src_endpoint: source, ...rest } = event as Kept
  const user = actor?.user
  return {
    id: metadata?.uid ?? '',
    at: rest.time ?? 0,
    operation: api?.operation ?? '',
    who: user?.type === undefined ? (user?.name ?? '') : `${user.type}:${user.name}`,
    client: actor?.app_name,
    from: source?.ip ?? source?.name ?? '',
    target: rest.dst_endpoint?.svc_name,
    object: rest.resources?.[0]?.name,
    decision: rest.action_id === 1 ? 'allowed' : rest.action_id === 2 ? 'denied' : undefined,
    rule: actor?.authorizations?.[0]?.policy?.name,
    outcome: unmapped?.outcome ?? '',
    detail: rest.status_detail,
    durationMs: unmapped?.duration_ms,
    event,
  }
}

/** The events of lines as they are written. */
export function foundIn(lines: string): FoundEvent[] {
  return lines.split('\n').flatMap((line) => {
    const event = line === '' ? undefined : parseEvent(line)
    return event ? [toFound(event)] : []
  })
}

const has = (text: string | undefined, part: string): boolean =>
  text?.toLowerCase().includes(part.toLowerCase()) ?? false

export function isWanted(found: FoundEvent, query: AuditQuery): boolean {
  const { who, target, object, operation, outcome, rule, since, until } = query
  return (
    (since === undefined || found.at >= since) &&
    (until === undefined || found.at < until) &&
    (who === undefined || [found.who, found.client, found.from].some((one) => has(one, who))) &&
    (target === undefined || found.target === target) &&
    (object === undefined || has(found.object, object)) &&
    (operation === undefined || found.operation === operation) &&
    (outcome === undefined || found.outcome === outcome || found.decision === outcome) &&
    (rule === undefined || found.rule === rule)
  )
}

/** The newest events that are wanted, newest first. Files that were finished before `since` are not read. */
export async function searchTrail(
  folder: string,
  query: AuditQuery,
  limit: number,
  signal?: AbortSignal,
): Promise<FoundEvent[]> {
  const segments = (await factsOf(await listSegments(folder)))
    .filter(({ changedAt }) => query.since === undefined || changedAt >= query.since)
    .sort((a, b) => b.changedAt - a.changedAt)
  let found: FoundEvent[] = []
  for (const { file, changedAt } of segments) {
    // Files are sorted by their last event. A file whose last event is older than everything found has nothing newer.
    if (found.length >= limit && changedAt < found[limit - 1]!.at) break
    const here: FoundEvent[] = []
    for await (const { text, isTorn } of readLines(file, 0, signal)) {
      if (isTorn || (query.text !== undefined && !has(text, query.text))) continue
      const event = parseEvent(text)
      const one = event && toFound(event)
      if (one && isWanted(one, query)) here.push(one)
      if (here.length > 2 * limit) here.splice(0, here.length - limit)
    }
    // Several events may have the same time. The event that was written last is the newest.
    found = [...found, ...here.reverse()].sort((a, b) => b.at - a.at).slice(0, limit)
  }
  return found
}
