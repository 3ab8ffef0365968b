import type { InstanceDetail, TargetDetail } from '../../api/contract.ts'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { formatBytes } from '../../ui/format.ts'
import table from '../../ui/table.module.css'
import styles from './processes.module.css'

/** Every process below each connection: what leaks shows here. */
export function Processes({ target }: { target: TargetDetail }) {
  const running = target.instances.filter(({ processes }) => processes.length > 0)
  if (running.length === 0) {
    return (
      <Empty title="No processes">
        {target.kind === 'stdio'
          ? 'The target is not running. It starts with its first use, or with Start.'
          : 'This target runs elsewhere; the gateway only connects to it.'}
      </Empty>
    )
  }
  return (
    <div className={styles.list}>
      {running.map((instance) => (
        <Tree key={instance.key} instance={instance} />
      ))}
    </div>
  )
}

function Tree({ instance: { label, processes } }: { instance: InstanceDetail }) {
  return (
    <Card title={label} flush>
      <table className={table.table}>
        <thead>
          <tr>
            <th>Process</th>
            <th className={table.number}>PID</th>
            <th className={table.number}>Memory</th>
            <th className={table.number}>CPU time</th>
          </tr>
        </thead>
        <tbody>
          {processes.map((row) => (
            <tr key={row.pid}>
              <td className={table.mono} style={{ paddingLeft: `${0.9 + row.depth * 1.2}rem` }}>
                {row.depth > 0 && <span className={styles.branch}>└ </span>}
                {row.command}
              </td>
              <td className={table.number}>{row.pid}</td>
              <td className={table.number}>{formatBytes(row.rss)}</td>
              <td className={table.number}>{row.cpuSeconds.toFixed(2)} s</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
