import type { PlaygroundCall } from '../../../api/contract.ts'
import { Badge, type Tone } from '../../../ui/signs/badge.tsx'

const STATES: Record<PlaygroundCall['status'], { word: string; tone: Tone }> = {
  running: { word: 'running', tone: 'accent' },
  waiting: { word: 'waits for you', tone: 'violet' },
  ok: { word: 'ok', tone: 'ok' },
  'tool-error': { word: 'tool failed', tone: 'bad' },
  error: { word: 'error', tone: 'bad' },
  cancelled: { word: 'cancelled', tone: 'plain' },
  task: { word: 'task', tone: 'violet' },
}

export function CallStatusBadge({ status }: { status: PlaygroundCall['status'] }) {
  const { word, tone } = STATES[status] ?? { word: status, tone: 'plain' }
  return <Badge tone={tone}>{word}</Badge>
}
