import type { WireStatus } from '../../api/contract.ts'
import { Badge, type Tone } from '../../ui/signs/badge.tsx'

const TONES: Record<WireStatus, Tone> = {
  running: 'accent',
  ok: 'ok',
  'tool-error': 'bad',
  error: 'bad',
  'input-required': 'violet',
  task: 'violet',
  cancelled: 'plain',
  refused: 'bad',
}

export function WireStatusBadge({ status }: { status: WireStatus }) {
  return <Badge tone={TONES[status] ?? 'plain'}>{status.replace('-', ' ')}</Badge>
}
