import type { TargetState } from '../api/contract.ts'
import { Badge, type Tone } from './badge.tsx'
import styles from './state.module.css'

const STATES: Record<TargetState, { word: string; tone: Tone }> = {
  ready: { word: 'ready', tone: 'ok' },
  idle: { word: 'idle', tone: 'plain' },
  starting: { word: 'starting', tone: 'accent' },
  degraded: { word: 'degraded', tone: 'warn' },
  'backing-off': { word: 'waiting to retry', tone: 'bad' },
  'needs-auth': { word: 'needs sign-in', tone: 'warn' },
  quarantined: { word: 'quarantined', tone: 'bad' },
  stopped: { word: 'stopped', tone: 'plain' },
  disabled: { word: 'disabled', tone: 'plain' },
}

export function StateBadge({ state }: { state: TargetState }) {
  const { word, tone } = STATES[state] ?? { word: state, tone: 'plain' }
  return <Badge tone={tone}>{word}</Badge>
}

export function StateDot({ state }: { state: TargetState }) {
  const { word, tone } = STATES[state] ?? { word: state, tone: 'plain' }
  return (
    <span
      role="img"
      aria-label={word}
      title={word}
      className={`${styles.dot} ${styles[tone] ?? ''}`}
      data-state={state}
    />
  )
}
