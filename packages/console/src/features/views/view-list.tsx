import { Link, useNavigate } from '@tanstack/react-router'
import type { AccessView } from '../../api/contract.ts'
import { May } from '../../api/may.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatCount } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import styles from './views.module.css'

/** The views of the gateway: endpoints with a part of what the targets have. */
export function ViewList({ views }: { views: readonly AccessView[] }) {
  const navigate = useNavigate()
  const add = (
    <May use="editView">
      <Link to="/view" className={styles.add}>
        Add a view
      </Link>
    </May>
  )
  if (views.length === 0) {
    return (
      <Empty title="There are no views" action={add}>
        A view is an endpoint of its own with a part of what the targets have, under names of its own.
      </Empty>
    )
  }
  return (
    <div className={styles.part}>
      <p>{add}</p>
      <Table
        label="Views"
        rows={views}
        columns={COLUMNS}
        keyOf={({ name }) => name}
        onOpen={({ name }) => navigate({ to: '/view', search: { name } })}
      />
    </div>
  )
}

const COLUMNS: readonly Column<AccessView>[] = [
  {
    id: 'view',
    title: 'View',
    width: 'minmax(8rem, 1fr)',
    narrow: 'main',
    sortBy: ({ name }) => name,
    cell: ({ name }) => <code>/mcp/{name}</code>,
  },
  { id: 'title', title: 'Title', sortBy: ({ title }) => title, cell: ({ title }) => title ?? '–' },
  {
    id: 'use',
    title: 'Has',
    width: 'minmax(10rem, 2fr)',
    cell: ({ use }) => <code>{use.join(', ')}</code>,
  },
  { id: 'who', title: 'For', cell: ({ who }) => who ?? 'everybody' },
  {
    id: 'shaped',
    title: 'Reshaped',
    width: '7rem',
    isNumber: true,
    narrow: 'aside',
    sortBy: ({ shaped }) => shaped,
    cell: ({ shaped }) => formatCount(shaped),
  },
]
