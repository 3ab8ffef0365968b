import { useQuery } from '@tanstack/react-query'
import type { PlaygroundCall } from '../../api/contract.ts'
import { callsQuery } from '../../api/queries.ts'
import { writeJson } from '../../api/json.ts'
import { EraBadge } from '../../ui/signs/badge.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { formatDuration } from '../../ui/text/format.ts'
import { Clock } from '../../ui/text/time.tsx'
import { CallStatusBadge } from './call/call-status.tsx'
import styles from './history.module.css'

interface Props {
  readonly current: string | undefined
  readonly onOpen: (call: PlaygroundCall) => void
}

/** Calls that were made before; opening one also fills in its form. */
export function History({ current, onOpen }: Props) {
  const { data } = useQuery(callsQuery)
  // Suggestions for arguments are calls, too, and would bury the others.
  const calls = data?.calls.filter(({ method }) => method !== 'completion/complete') ?? []
  if (calls.length === 0) return null
  return (
    <Card title="History" flush>
      <ul className={styles.history} aria-label="History">
        {calls.map((call) => (
          <li key={call.id}>
            <button type="button" aria-pressed={call.id === current} onClick={() => onOpen(call)}>
              <Clock at={call.startedAt} />
              <span className={styles.name}>
                {String(call.params.name ?? call.params.uri ?? call.method)}
              </span>
              <span className={styles.args}>{writeJson(call.params.arguments ?? {})}</span>
              <EraBadge era={call.client.era} revision={call.client.revision} />
              <CallStatusBadge status={call.status} />
              <span className={styles.time}>{formatDuration(call.duration)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
