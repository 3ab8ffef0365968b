import { escapeControls, type AuditEntry } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { formatDuration } from '../../ui/text/format.ts'
import { Clock } from '../../ui/text/time.tsx'
import type { Column } from '../../ui/table/column.ts'

const GOOD = new Set(['ok', 'allowed', 'ready', 'stopped', 'input-required', 'task'])

export function OutcomeBadge({ outcome, decision }: Pick<AuditEntry, 'outcome' | 'decision'>) {
  const isBad = outcome !== 'waiting' && (decision === 'denied' || !GOOD.has(outcome))
  return <Badge tone={isBad ? 'bad' : 'ok'}>{outcome === '' ? (decision ?? '–') : outcome}</Badge>
}

/** The caller; without one the client, and without that where it came from. */
export function byOf({ who, client, from }: AuditEntry): string {
  return escapeControls(who !== '' ? who : (client ?? from))
}

export const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: 'time',
    title: 'Time',
    width: '8.5rem',
    sortBy: ({ at }) => at,
    isNumber: true,
    cell: ({ at }) => <Clock at={at} />,
  },
  {
    id: 'who',
    title: 'Who',
    width: 'minmax(7rem, 1fr)',
    sortBy: byOf,
    cell: (event) => <span>{byOf(event)}</span>,
  },
  {
    id: 'what',
    title: 'What',
    width: 'minmax(10rem, 2fr)',
    narrow: 'main',
    sortBy: ({ operation, object = '' }) => `${operation} ${object}`,
    cell: ({ operation, object }) => (object === undefined ? operation : `${operation} ${object}`),
  },
  {
    id: 'target',
    title: 'Target',
    width: 'minmax(5rem, 10rem)',
    sortBy: ({ target }) => target,
    cell: ({ target }) => <span>{target ?? '–'}</span>,
  },
  {
    id: 'outcome',
    title: 'Outcome',
    width: '9rem',
    narrow: 'aside',
    sortBy: ({ outcome }) => outcome,
    cell: (event) => <OutcomeBadge {...event} />,
  },
  {
    id: 'rule',
    title: 'Rule',
    width: 'minmax(4rem, 9rem)',
    sortBy: ({ rule }) => rule,
    cell: ({ rule }) => <span>{rule ?? '–'}</span>,
  },
  {
    id: 'duration',
    title: 'Took',
    width: '5rem',
    isNumber: true,
    sortBy: ({ durationMs }) => durationMs,
    cell: ({ durationMs }) => (durationMs === undefined ? '–' : formatDuration(durationMs)),
  },
]
