import { live } from '../api/live.ts'
import { useStore } from '../api/store.ts'
import { Badge } from '../ui/signs/badge.tsx'

const WORDS = { connecting: 'connecting', live: 'live', lost: 'reconnecting' }
const TONES = { connecting: 'plain', live: 'ok', lost: 'warn' } as const

export function LiveBadge() {
  const state = useStore(live.state)
  return (
    <span role="status">
      <Badge tone={TONES[state]}>{WORDS[state]}</Badge>
    </span>
  )
}
