import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { TargetCard, TargetDetail } from '../../api/contract.ts'
import { May } from '../../api/may.tsx'
import { logQuery } from '../../api/queries.ts'
import { addStderr, stderrOf } from '../../api/stderr-store.ts'
import { useStore } from '../../api/store.ts'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { LogLines } from '../events/log-lines.tsx'
import styles from './now.module.css'
import { RecentCalls } from './recent-calls.tsx'
import { quoted } from './quoted.ts'
import { TargetTools } from './target-tools.tsx'

const LINES = 10

/** What one looks for first: how calls ended, what it wrote, what happened, what it offers. */
export function Now({ card, detail }: { card: TargetCard; detail: TargetDetail | undefined }) {
  const { name } = card
  const filter = `target:${quoted(name)}`
  const lines = detail && <LastLines target={detail} />
  return (
    <div className={styles.now}>
      {card.problem && lines}
      <RecentCalls
        target={card}
        title="Last errors"
        filter={`${filter} status:error,tool-error,refused`}
        none="No call has failed lately."
      />
      <RecentCalls target={card} title="Last calls" filter={filter} none="Nobody has called it yet." />
      {!card.problem && lines}
      <May use="log">
        <LastEvents name={name} />
      </May>
      <TargetTools name={name} />
    </div>
  )
}

/** As they are written: the event stream brings them. */
function LastLines({ target }: { target: TargetDetail }) {
  const { name } = target
  useEffect(() => addStderr(name, target.stderr), [name, target.stderr])
  const lines = useStore(stderrOf(name)).slice(-LINES)
  if (target.kind !== 'stdio') return null
  return (
    <Card
      title="Last lines of its log (stderr)"
      actions={
        <Link to="/targets/$name" params={{ name }} search={{ tab: 'stderr' }}>
          All lines
        </Link>
      }
    >
      {lines.length === 0 ? (
        <p className={styles.none}>It has written nothing.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there
        <pre className={styles.stderr} tabIndex={0}>
          {lines.map(({ text }) => text).join('\n')}
        </pre>
      )}
    </Card>
  )
}

function LastEvents({ name }: { name: string }) {
  const { data } = useQuery(logQuery(name))
  if (!data) return null
  return (
    <Card
      title="Events"
      actions={
        <Link to="/events" search={{ q: name }}>
          All events
        </Link>
      }
    >
      {data.lines.length === 0 ? <Empty title="No event of it is kept" /> : <LogLines lines={data.lines} />}
    </Card>
  )
}
