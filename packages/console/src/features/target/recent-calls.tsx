import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import type { TargetCard } from '../../api/contract.ts'
import { Card } from '../../ui/layout/card.tsx'
import { formatDuration } from '../../ui/text/format.ts'
import { Clock } from '../../ui/text/time.tsx'
import { clientOf, nameOf } from '../wire/columns.tsx'
import { WireStatusBadge } from '../wire/status.tsx'
import styles from './now.module.css'

const CALLS = 6

interface Props {
  readonly target: TargetCard
  readonly title: string
  readonly filter: string
  /** Said when there are none. */
  readonly none: string
}

/** The newest exchanges with a target that a filter lets through. */
export function RecentCalls({ target: { name, stats }, title, filter, none }: Props) {
  const { data } = useQuery({
    // Asked again when the figures change.
    queryKey: ['target', name, 'calls', filter, stats.calls],
    queryFn: () => call('wire', { query: { limit: CALLS, filter } }),
    placeholderData: (before) => before,
  })
  if (!data) return null
  return (
    <Card
      title={title}
      actions={
        <Link to="/wire" search={{ filter }}>
          All of them
        </Link>
      }
    >
      {data.records.length === 0 && <p className={styles.none}>{none}</p>}
      <ul className={styles.calls} aria-label={title}>
        {data.records.map((record) => (
          <li key={record.id}>
            <Clock at={record.at} />
            <Link to="/wire" search={{ filter, id: String(record.id) }}>
              {nameOf(record)}
            </Link>
            <WireStatusBadge status={record.status} />
            <span>{record.duration === undefined ? '…' : formatDuration(record.duration)}</span>
            {record.client.name !== undefined && <span className={styles.client}>{clientOf(record)}</span>}
            {record.error !== undefined && <span className={styles.error}>{record.error}</span>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
