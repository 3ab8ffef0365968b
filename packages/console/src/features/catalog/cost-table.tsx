import { Link } from '@tanstack/react-router'
import type { CatalogList } from '../../api/contract.ts'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { formatCount } from '../../ui/format.ts'
import table from '../../ui/table.module.css'
import { Ago } from '../../ui/time.tsx'
import styles from './cost-table.module.css'

/** What each target's definitions cost the context of a model, and which entries cost most. */
export function CostTable({ catalog }: { catalog: CatalogList }) {
  const targets = [...catalog.targets].sort((a, b) => b.counts.tokens - a.counts.tokens)
  const most = targets[0]?.counts.tokens ?? 0
  const dear = [...catalog.entries].sort((a, b) => b.tokens - a.tokens).slice(0, 15)
  if (targets.length === 0)
    return <Empty title="No targets yet">Add one to see what its definitions cost.</Empty>
  return (
    <div className={styles.tables}>
      <Card title="By target" flush>
        <table className={table.table}>
          <thead>
            <tr>
              <th>Target</th>
              <th className={table.number}>Tools</th>
              <th className={table.number}>Tokens</th>
              <th className={styles.share}>Share</th>
              <th>Asked</th>
            </tr>
          </thead>
          <tbody>
            {targets.map(({ name, counts, fetchedAt }) => (
              <tr key={name}>
                <td>
                  <Link to="/targets/$name" params={{ name }}>
                    {name}
                  </Link>
                </td>
                <td className={table.number}>{formatCount(counts.tools)}</td>
                <td className={table.number}>~{formatCount(counts.tokens)}</td>
                <td className={styles.share}>
                  <span style={{ width: `${most === 0 ? 0 : (counts.tokens / most) * 100}%` }} />
                </td>
                <td className={table.muted}>{fetchedAt === undefined ? 'never' : <Ago at={fetchedAt} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
      <Card title="The dearest entries" flush>
        <table className={table.table}>
          <thead>
            <tr>
              <th>Entry</th>
              <th className={table.number}>Tokens</th>
            </tr>
          </thead>
          <tbody>
            {dear.map((entry) => (
              <tr key={`${entry.kind} ${entry.key} ${entry.target}`}>
                <td>
                  <Link to="/catalog" search={{ entry: entry.key, entryKind: entry.kind }}>
                    <code>{entry.key}</code>
                  </Link>
                </td>
                <td className={table.number}>~{formatCount(entry.tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    </div>
  )
}
