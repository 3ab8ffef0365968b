import type { Access, AccessFinding, AccessResultRule } from '../../api/contract.ts'
import { Badge, type Tone } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatCount } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { ToConfiguration } from '../configuration/to-configuration.tsx'
import styles from './access.module.css'

/** What may come back, and what was taken out of it. */
export function Results({ access: { results, found } }: { access: Access }) {
  if (results.length === 0 && found.length === 0) {
    return (
      <Empty
        title="Nothing is taken out of results"
        action={<ToConfiguration>Open the configuration</ToConfiguration>}
      >
        What may come back from targets stands under <code>results</code>.
      </Empty>
    )
  }
  return (
    <div className={styles.part}>
      <h2>What was found</h2>
      {found.length === 0 ? (
        <p className={styles.muted}>Nothing yet.</p>
      ) : (
        <Table label="What was found" rows={found} columns={FOUND} keyOf={({ name }) => name} />
      )}
      <h2>Rules</h2>
      <Table label="Rules for results" rows={results} columns={RULES} keyOf={({ name }) => name} wraps />
    </div>
  )
}

const count = (id: 'mask' | 'drop' | 'refuse', title: string): Column<AccessFinding> => ({
  id,
  title,
  width: '8rem',
  isNumber: true,
  sortBy: (row) => row[id],
  cell: (row) => formatCount(row[id]),
})

const FOUND: readonly Column<AccessFinding>[] = [
  {
    id: 'name',
    title: 'What',
    narrow: 'main',
    sortBy: ({ name }) => name,
    cell: ({ name }) => name,
  },
  count('mask', 'Masked'),
  count('drop', 'Left out'),
  count('refuse', 'Refused'),
]

const ACTIONS: readonly (readonly ['mask' | 'drop' | 'refuse', string, Tone])[] = [
  ['mask', 'masks', 'accent'],
  ['drop', 'leaves out', 'warn'],
  ['refuse', 'refuses', 'bad'],
]

const RULES: readonly Column<AccessResultRule>[] = [
  {
    id: 'rule',
    title: 'Rule',
    narrow: 'main',
    sortBy: ({ name }) => name,
    cell: ({ name }) => name,
  },
  {
    id: 'for',
    title: 'For',
    cell: ({ for: about }) => (about.length > 0 ? <code>{about.join(', ')}</code> : 'everything'),
  },
  {
    id: 'does',
    title: 'What it does',
    width: 'minmax(12rem, 2fr)',
    cell: (rule) => (
      <span className={styles.cell}>
        {ACTIONS.filter(([action]) => rule[action].length > 0).map(([action, title, tone]) => (
          <span key={action}>
            <Badge tone={tone}>{title}</Badge> {rule[action].join(', ')}
          </span>
        ))}
        {rule.maxTokens !== undefined && <span>cuts after {formatCount(rule.maxTokens)} tokens</span>}
        {rule.stripHidden && <span>takes out characters that people do not see</span>}
        {rule.untrusted && <span>marks results as text that nobody vouches for</span>}
      </span>
    ),
  },
]
