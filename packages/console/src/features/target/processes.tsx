import { useIsFetching } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import type { InstanceDetail, TargetDetail } from '../../api/contract.ts'
import { queryClient, targetQuery } from '../../api/queries.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatBytes } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
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
      <MeasureButton name={target.name} />
      {running.map((instance) => (
        <Tree key={instance.key} instance={instance} />
      ))}
    </div>
  )
}

/** Processes are measured when a person asks for it, and not by the clock. */
function MeasureButton({ name }: { name: string }) {
  const { queryKey } = targetQuery(name)
  const isMeasuring = useIsFetching({ queryKey }) > 0
  return (
    <div>
      <Button
        icon={RefreshCw}
        disabled={isMeasuring}
        onClick={() => queryClient.invalidateQueries({ queryKey })}
      >
        Measure again
      </Button>
    </div>
  )
}

type Process = InstanceDetail['processes'][number]

const COLUMNS: readonly Column<Process>[] = [
  {
    id: 'process',
    title: 'Process',
    width: 'minmax(8rem, 1fr)',
    narrow: 'main',
    cell: ({ command, depth }) => (
      <code style={{ paddingLeft: `${depth * 1.2}rem` }}>
        {depth > 0 && <span className={styles.branch}>└ </span>}
        {command}
      </code>
    ),
  },
  { id: 'pid', title: 'PID', width: '6rem', isNumber: true, cell: ({ pid }) => pid },
  { id: 'memory', title: 'Memory', width: '6rem', isNumber: true, cell: ({ rss }) => formatBytes(rss) },
  {
    id: 'cpu',
    title: 'CPU time',
    width: '6rem',
    isNumber: true,
    cell: ({ cpuSeconds }) => `${cpuSeconds.toFixed(2)} s`,
  },
]

function Tree({ instance: { label, processes } }: { instance: InstanceDetail }) {
  return (
    <Card title={label} flush>
      <Table
        label={`Processes of ${label}`}
        rows={processes}
        columns={COLUMNS}
        keyOf={({ pid }) => String(pid)}
        wraps
      />
    </Card>
  )
}
