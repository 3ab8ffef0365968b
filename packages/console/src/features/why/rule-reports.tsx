import type { RuleReport } from '../../api/contract.ts'
import { Badge, type Tone } from '../../ui/signs/badge.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import styles from './why-page.module.css'

const TONES: Record<RuleReport['says'], Tone> = {
  allows: 'ok',
  denies: 'bad',
  fails: 'bad',
  depends: 'warn',
  'wants approval': 'violet',
  'wants confirmation': 'violet',
  'does not hold': 'plain',
  other: 'plain',
}
const WORDS: Partial<Record<RuleReport['says'], string>> = { other: 'not about this' }

/** What each rule of the policy says of something. Those that are about it come first. */
export function RuleReports({ rules }: { rules: readonly RuleReport[] }) {
  const sorted = rules.toSorted((one, other) => rank(one) - rank(other))
  return (
    <Table label="What each rule says" rows={sorted} columns={COLUMNS} keyOf={({ rule }) => rule} wraps />
  )
}

function rank({ decides, says }: RuleReport): number {
  if (decides) return 0
  return says === 'other' ? 2 : 1
}

const COLUMNS: readonly Column<RuleReport>[] = [
  {
    id: 'rule',
    title: 'Rule',
    width: 'minmax(9rem, 1fr)',
    narrow: 'main',
    cell: ({ rule, mode, decides }) => (
      <span>
        {decides ? <strong>{rule}</strong> : rule} {decides && <Badge tone="accent">decides</Badge>}{' '}
        {mode === 'audit' && <Badge tone="violet">on trial</Badge>}
      </span>
    ),
  },
  {
    id: 'says',
    title: 'Says',
    width: '9.5rem',
    narrow: 'aside',
    cell: ({ says }) => <Badge tone={TONES[says]}>{WORDS[says] ?? says}</Badge>,
  },
  {
    id: 'when',
    title: 'When',
    width: 'minmax(10rem, 2fr)',
    cell: ({ when, failure, message }) => (
      <span className={styles.condition}>
        {when === undefined ? 'always' : <code>{when}</code>}
        {failure !== undefined && <span>It has no value: {failure}</span>}
        {message !== undefined && <span>The caller is told: “{message}”</span>}
      </span>
    ),
  },
]
