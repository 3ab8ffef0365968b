import { Link } from '@tanstack/react-router'
import type { CatalogEntry, CatalogList } from '../../api/contract.ts'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatCount } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { Ago } from '../../ui/text/time.tsx'
import styles from './cost-table.module.css'

type TargetCost = CatalogList['targets'][number]

const DEAREST_FIRST = { column: 'tokens', descending: true }

const ENTRIES: readonly Column<CatalogEntry>[] = [
  {
    id: 'entry',
    title: 'Entry',
    width: 'minmax(8rem, 1fr)',
    narrow: 'main',
    sortBy: ({ key }) => key,
    cell: ({ key, kind }) => (
      <Link to="/catalog" search={{ entry: key, entryKind: kind }}>
        <code>{key}</code>
      </Link>
    ),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: '6rem',
    isNumber: true,
    sortBy: ({ tokens }) => tokens,
    cell: ({ tokens }) => `~${formatCount(tokens)}`,
  },
]

/** What each target's definitions cost the context of a model, and which entries cost most. */
export function CostTable({ catalog }: { catalog: CatalogList }) {
  if (catalog.targets.length === 0)
    return <Empty title="No targets yet">Add one to see what its definitions cost.</Empty>
  const most = Math.max(1, ...catalog.targets.map(({ counts }) => counts.tokens))
  return (
    <div className={styles.tables}>
      <Card title="By target" flush>
        <Table
          label="Cost by target"
          rows={catalog.targets}
          columns={targetColumns(most)}
          keyOf={({ name }) => name}
          sort={DEAREST_FIRST}
        />
      </Card>
      <Card title="The dearest entries" flush>
        <Table
          label="Cost by entry"
          rows={catalog.entries}
          columns={ENTRIES}
          keyOf={({ kind, key, target }) => `${kind} ${key} ${target}`}
          sort={DEAREST_FIRST}
        />
      </Card>
    </div>
  )
}

function targetColumns(most: number): readonly Column<TargetCost>[] {
  return [
    {
      id: 'target',
      title: 'Target',
      narrow: 'main',
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <Link to="/targets/$name" params={{ name }}>
          {name}
        </Link>
      ),
    },
    {
      id: 'tools',
      title: 'Tools',
      width: '5rem',
      isNumber: true,
      sortBy: ({ counts }) => counts.tools,
      cell: ({ counts }) => formatCount(counts.tools),
    },
    {
      id: 'tokens',
      title: 'Tokens',
      width: '6rem',
      isNumber: true,
      sortBy: ({ counts }) => counts.tokens,
      cell: ({ counts }) => `~${formatCount(counts.tokens)}`,
    },
    {
      id: 'share',
      title: 'Share',
      width: '7rem',
      narrow: 'hidden',
      cell: ({ counts }) => (
        <span className={styles.share} style={{ width: `${(counts.tokens / most) * 100}%` }} />
      ),
    },
    {
      id: 'asked',
      title: 'Asked',
      width: '7rem',
      sortBy: ({ fetchedAt }) => fetchedAt,
      cell: ({ fetchedAt }) => (fetchedAt === undefined ? 'never' : <Ago at={fetchedAt} />),
    },
  ]
}
