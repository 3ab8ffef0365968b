import { Link } from '@tanstack/react-router'
import type { AccessPolicy, AccessRule } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatCount } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { ToConfiguration } from '../configuration/to-configuration.tsx'
import styles from './access.module.css'

/** The rules of policy with what each has decided. */
export function Rules({ policy }: { policy: AccessPolicy }) {
  const { rules, fallback, byDefault } = policy
  if (rules.length === 0 && fallback === 'allow') {
    return (
      <Empty title="There are no rules" action={<ToConfiguration>Open the configuration</ToConfiguration>}>
        Everybody who comes in may call everything. Rules stand under <code>policy</code>.
      </Empty>
    )
  }
  return (
    <div className={styles.part}>
      <p>
        What no rule is about is{' '}
        <Badge tone={fallback === 'allow' ? 'ok' : 'bad'}>
          {fallback === 'allow' ? 'allowed' : 'denied'}
        </Badge>
        <span className={styles.muted}>
          {' '}
          by default: {formatCount(byDefault.allowed)} calls allowed, {formatCount(byDefault.denied)} denied.
        </span>{' '}
        <Link to="/access" search={{ tab: 'try' }}>
          Try a call
        </Link>
      </p>
      <Table label="Rules" rows={rules} columns={COLUMNS} keyOf={({ name }) => name} wraps />
    </div>
  )
}

const figure = (id: 'allowed' | 'denied' | 'failed' | 'wouldDeny', title: string): Column<AccessRule> => ({
  id,
  title,
  width: '6rem',
  isNumber: true,
  sortBy: (rule) => rule[id],
  cell: (rule) => formatCount(rule[id]),
})

const COLUMNS: readonly Column<AccessRule>[] = [
  {
    id: 'rule',
    title: 'Rule',
    width: 'minmax(9rem, 1.5fr)',
    narrow: 'main',
    sortBy: ({ name }) => name,
    cell: ({ name, mode, message }) => (
      <span className={styles.cell}>
        <span>
          {name} {mode === 'audit' && <Badge tone="violet">on trial</Badge>}
        </span>
        {message !== undefined && <span className={styles.muted}>“{message}”</span>}
      </span>
    ),
  },
  {
    id: 'about',
    title: 'About',
    width: 'minmax(9rem, 1.5fr)',
    cell: ({ allow, deny, who, needs }) => (
      <span className={styles.cell}>
        {allow.length > 0 && (
          <span>
            <Badge tone="ok">allows</Badge> {needs && <Badge tone="violet">after {needs}</Badge>}{' '}
            <code>{allow.join(', ')}</code>
          </span>
        )}
        {deny.length > 0 && (
          <span>
            <Badge tone="bad">denies</Badge> <code>{deny.join(', ')}</code>
          </span>
        )}
        <span className={styles.muted}>{who ?? 'everybody'}</span>
      </span>
    ),
  },
  {
    id: 'when',
    title: 'When',
    width: 'minmax(8rem, 1.5fr)',
    cell: ({ when }) => (
      <span className={styles.cell}>{when === undefined ? 'always' : <code>{when}</code>}</span>
    ),
  },
  figure('allowed', 'Allowed'),
  figure('denied', 'Denied'),
  figure('failed', 'Undecided'),
  figure('wouldDeny', 'Would deny'),
]
