import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { LogLine } from '../../api/contract.ts'
import { logQuery } from '../../api/queries.ts'
import { Bar, Rest } from '../../ui/layout/bar.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { SearchField, Select } from '../../ui/controls/fields.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { Clock } from '../../ui/text/time.tsx'
import { History } from '../configuration/history.tsx'
import { LevelBadge, LineText } from './log-lines.tsx'

const route = getRouteApi('/events')

const COLUMNS: readonly Column<LogLine>[] = [
  {
    id: 'time',
    title: 'Time',
    width: '8rem',
    isNumber: true,
    sortBy: ({ seq }) => seq,
    cell: ({ at }) => <Clock at={at} />,
  },
  {
    id: 'level',
    title: 'Level',
    width: '5rem',
    narrow: 'aside',
    sortBy: ({ level }) => level,
    cell: ({ level }) => <LevelBadge level={level} />,
  },
  {
    id: 'target',
    title: 'Target',
    width: 'minmax(6rem, 10rem)',
    sortBy: ({ target }) => target,
    cell: ({ target }) =>
      target !== undefined && (
        <Link to="/targets/$name" params={{ name: target }}>
          {target}
        </Link>
      ),
  },
  {
    id: 'what',
    title: 'What happened',
    width: 'minmax(12rem, 1fr)',
    narrow: 'main',
    cell: (line) => <LineText line={line} />,
  },
]

/** Which lines each kind of event is about. */
const KINDS: Record<string, (line: LogLine) => boolean> = {
  '': () => true,
  warn: ({ level }) => level !== 'info',
  error: ({ level }) => level === 'error',
  config: ({ message }) => /configuration/i.test(message),
  target: ({ target }) => target !== undefined,
}

/** What happened: the end of the gateway's log. */
export function EventsPage() {
  const { data, error } = useQuery(logQuery())
  const { q: text = '', kind = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: { q?: string; kind?: string }) =>
    navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  const wanted = text.toLowerCase()
  const lines = data?.lines
    .filter(KINDS[kind] ?? KINDS['']!)
    .filter(({ message, detail, target }) =>
      [message, detail, target].some((part) => part?.toLowerCase().includes(wanted)),
    )
  return (
    <Page
      title="Events"
      lead="What the gateway logged last: starts, failures, refusals, changes of the configuration."
      fill
      actions={<History disabled={false} />}
    >
      <Bar>
        <SearchField label="Find in the events" value={text} onChange={(q) => set({ q })} />
        <Select
          label="Events"
          value={kind}
          onChange={(next) => set({ kind: next })}
          options={[
            ['', 'Everything'],
            ['warn', 'Warnings and errors'],
            ['error', 'Errors'],
            ['config', 'Configuration'],
            ['target', 'Targets: starts, restarts, failures'],
          ]}
        />
      </Bar>
      {error && <Failure error={error} />}
      {!lines && !error && <Skeleton lines={8} />}
      {lines?.length === 0 && (
        <Empty title="Nothing of this kind happened">Starts, failures and changes show here.</Empty>
      )}
      {lines && lines.length > 0 && (
        <Rest>
          <Table
            label="Events"
            rows={lines}
            columns={COLUMNS}
            keyOf={({ seq }) => String(seq)}
            viewKey={`${kind} ${text}`}
            wraps
            fill
          />
        </Rest>
      )}
    </Page>
  )
}
