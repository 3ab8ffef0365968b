import type { AccessLimit, LimitShare } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatCount } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { ToConfiguration } from '../configuration/to-configuration.tsx'
import styles from './access.module.css'

/** Limits with how full they are. */
export function Limits({ limits }: { limits: readonly AccessLimit[] }) {
  if (limits.length === 0) {
    return (
      <Empty title="There are no limits" action={<ToConfiguration>Open the configuration</ToConfiguration>}>
        How often callers may call what stands under <code>limits</code>.
      </Empty>
    )
  }
  return <Table label="Limits" rows={limits} columns={COLUMNS} keyOf={({ name }) => name} wraps />
}

const COLUMNS: readonly Column<AccessLimit>[] = [
  {
    id: 'limit',
    title: 'Limit',
    width: 'minmax(9rem, 1fr)',
    narrow: 'main',
    sortBy: ({ name }) => name,
    cell: ({ name, shared }) => (
      <span>
        {name} {shared && <Badge title="Counted for all processes that share the store">shared</Badge>}
      </span>
    ),
  },
  {
    id: 'for',
    title: 'For',
    cell: ({ for: about, by }) => (
      <span className={styles.cell}>
        {about.length > 0 ? <code>{about.join(', ')}</code> : 'every call'}
        <span className={styles.muted}>{by === undefined ? 'each caller' : <code>by {by}</code>}</span>
      </span>
    ),
  },
  { id: 'numbers', title: 'At most', cell: ({ numbers }) => numbers.join('; ') },
  {
    id: 'fill',
    title: 'Used now',
    width: 'minmax(14rem, 2fr)',
    cell: (limit) => <Shares limit={limit} />,
  },
  {
    id: 'refused',
    title: 'Refused',
    width: '6rem',
    isNumber: true,
    sortBy: ({ refused }) => refused,
    cell: ({ refused }) => (refused === 0 ? '0' : <Badge tone="bad">{formatCount(refused)}</Badge>),
  },
]

function Shares({ limit: { shares, counted } }: { limit: AccessLimit }) {
  if (shares.length === 0) return <span className={styles.muted}>nothing</span>
  return (
    <span className={styles.cell}>
      {shares.map((share) => (
        <Share key={share.who} share={share} />
      ))}
      {counted > shares.length && (
        <span className={styles.muted}>of {formatCount(counted)} that were counted</span>
      )}
    </span>
  )
}

const UNITS = { rate: 'now', perDay: 'today', concurrent: 'under way' }

function Share({ share: { who, fills } }: { share: LimitShare }) {
  return fills.map(({ of, used, capacity }) => (
    <span key={of} className={styles.fill}>
      <span>{who}</span>
      <meter
        aria-label={`${who}, ${UNITS[of]}`}
        min={0}
        max={capacity}
        high={capacity * 0.8}
        optimum={0}
        value={used}
      />
      <span>
        {formatCount(used)} of {formatCount(capacity)} {UNITS[of]}
      </span>
    </span>
  ))
}
