import { useMemo, useState } from 'react'
import type { WireRecord } from '../../api/contract.ts'
import { Empty } from '../../ui/signs/empty.tsx'
import { Select } from '../../ui/controls/fields.tsx'
import { formatDuration, formatTime, plural } from '../../ui/text/format.ts'
import type { Column, Sort } from '../../ui/table/column.ts'
import { clientOf, COLUMNS, nameOf } from './columns.tsx'
import { ExchangeTable } from './exchange-table.tsx'
import styles from './timeline.module.css'

interface Props {
  readonly records: readonly WireRecord[]
  /** Whose requests are shown, as `whoOf` names the caller. Default: the caller that was seen last. */
  readonly who: string | undefined
  readonly onWho: (who: string) => void
  readonly selected: readonly number[]
  readonly onOpen: (id: number, how: { readonly shift: boolean }) => void
}

const OLDEST_FIRST: Sort = { column: 'time', descending: false }

/** What one session did, one exchange below the other, on one axis of time. */
export function Timeline({ records, who, onWho, selected, onOpen }: Props) {
  const sessions = useMemo(() => sessionsOf(records), [records])
  const session = sessions.find(({ id }) => id === who) ?? sessions[0]
  const [sort, setSort] = useState(OLDEST_FIRST)
  const columns = useMemo(() => (session ? columnsOf(session.records) : []), [session])
  if (!session)
    return <Empty title="Nobody was here yet">Sessions show as soon as a client sends something.</Empty>
  return (
    <div className={styles.timeline}>
      <Select
        label="Session"
        shown
        value={session.id}
        onChange={onWho}
        options={sessions.map(({ id, title }) => [id, title])}
      />
      <ExchangeTable
        label="Timeline"
        columns={columns}
        records={session.records}
        selected={selected}
        sort={sort}
        onSort={setSort}
        viewKey={session.id}
        onOpen={onOpen}
      />
    </div>
  )
}

interface Session {
  readonly id: string
  readonly title: string
  readonly records: readonly WireRecord[]
}

/** A session, or the name of a client that has none. */
export function whoOf({ session, name }: WireRecord['client']): string {
  return session ?? name ?? 'client'
}

function sessionsOf(records: readonly WireRecord[]): Session[] {
  const found = new Map<string, WireRecord[]>()
  for (const record of records) {
    if (record.status === 'refused') continue
    const who = whoOf(record.client)
    const known = found.get(who)
    if (known) known.push(record)
    else found.set(who, [record])
  }
  return [...found].map(([id, own]) => {
    const from = formatTime(own.at(-1)!.at)
    return {
      id,
      title: `${clientOf(own[0]!)} from ${from}, ${plural(own.length, 'exchange')}`,
      records: own,
    }
  })
}

function columnsOf(records: readonly WireRecord[]): readonly Column<WireRecord>[] {
  const from = records.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
  const to = records.reduce((most, { at, duration = 0 }) => Math.max(most, at + duration), from + 1)
  const share = (milliseconds: number) => (milliseconds / (to - from)) * 100
  const [tool, status] = ['tool', 'status'].map((id) => COLUMNS.find((column) => column.id === id)!)
  return [
    {
      id: 'time',
      title: 'After',
      width: '5.5rem',
      isNumber: true,
      sortBy: ({ at, id }) => at + id / 1e9,
      cell: ({ at }) => formatDuration(at - from),
    },
    { ...tool!, width: 'minmax(8rem, 1fr)' },
    status!,
    {
      id: 'bar',
      title: `${formatTime(from)} to ${formatTime(to)}`,
      width: 'minmax(10rem, 3fr)',
      cell: (record) => (
        <span
          className={styles.track}
          role="img"
          aria-label={`${nameOf(record)} took ${formatDuration(record.duration)}`}
        >
          <span
            className={record.status === 'ok' ? styles.bar : styles.failed}
            style={{
              left: `${share(record.at - from)}%`,
              width: `max(3px, ${share(record.duration ?? to - record.at)}%)`,
            }}
          />
        </span>
      ),
    },
  ]
}
