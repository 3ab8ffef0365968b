import type { TargetCard } from '../../api/contract.ts'
import { Card } from '../../ui/layout/card.tsx'
import { formatCount, formatDuration, formatPercent } from '../../ui/text/format.ts'
import { StateDot } from '../../ui/signs/state.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import styles from './load-table.module.css'

const COLUMNS: readonly Column<TargetCard>[] = [
  {
    id: 'target',
    title: 'Target',
    width: 'minmax(6rem, 1fr)',
    narrow: 'main',
    sortBy: ({ name }) => name,
    cell: ({ name, state }) => (
      <span className={styles.name}>
        <StateDot state={state} /> {name}
      </span>
    ),
  },
  {
    id: 'calls',
    title: 'Calls',
    width: '5rem',
    isNumber: true,
    sortBy: ({ stats }) => stats.calls,
    cell: ({ stats }) => formatCount(stats.calls),
  },
  {
    id: 'failed',
    title: 'Failed',
    width: '5rem',
    isNumber: true,
    sortBy: ({ stats }) => stats.errorRate,
    cell: ({ stats }) => formatPercent(stats.errorRate),
  },
  {
    id: 'p95',
    title: 'p95',
    width: '5rem',
    isNumber: true,
    sortBy: ({ stats }) => stats.p95,
    cell: ({ stats }) => formatDuration(stats.p95),
  },
]

const BUSIEST = { column: 'calls', descending: true }

interface Props {
  readonly targets: readonly TargetCard[]
  readonly selected: string | undefined
  readonly onSelect: (name: string) => void
}

/** Who has the load. A row shows its own chart. */
export function LoadTable({ targets, selected, onSelect }: Props) {
  return (
    <Card title="Since the start, by target" flush>
      <Table
        label="Load by target"
        rows={targets}
        columns={COLUMNS}
        keyOf={({ name }) => name}
        sort={BUSIEST}
        selected={selected === undefined ? [] : [selected]}
        onOpen={({ name }) => onSelect(name === selected ? '' : name)}
      />
    </Card>
  )
}
