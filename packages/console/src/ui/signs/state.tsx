import type { TargetState } from '../../api/contract.ts'
import { live } from '../../api/live.ts'
import { useStore } from '../../api/store.ts'
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

/** Whether people switched it off: that is no failure. */
export function isOff(state: TargetState): boolean {
  return state === 'stopped' || state === 'disabled'
}

const UNKNOWN = { word: 'unknown', tone: 'plain' } as const

/** How a target is. Nothing is known while the gateway does not answer. */
function useLook(state: TargetState): { word: string; tone: Tone } {
  const isLost = useStore(live.state) === 'lost'
  return isLost ? UNKNOWN : (STATES[state] ?? { word: state, tone: 'plain' })
}

export function StateWord({ state }: { state: TargetState }) {
  return <>{useLook(state).word}</>
}

export function StateBadge({ state }: { state: TargetState }) {
  const { word, tone } = useLook(state)
  return <Badge tone={tone}>{word}</Badge>
}

export function StateDot({ state }: { state: TargetState }) {
  const { word, tone } = useLook(state)
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
