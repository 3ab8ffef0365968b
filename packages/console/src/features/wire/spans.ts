import type { WireMessage } from '../../api/contract.ts'
import { writeJson } from '../../api/json.ts'

/** A request with its answer, or a message that stands alone. */
export interface Span {
  readonly seq: number
  readonly hop: WireMessage['hop']
  readonly direction: WireMessage['direction']
  readonly title: string
  readonly from: number
  /** Absent for notifications, and for requests without an answer so far. */
  readonly to?: number
  readonly isRequest: boolean
  readonly failed: boolean
}

/** Pairs requests with their answers, hop by hop, for the waterfall. */
export function toSpans(messages: readonly WireMessage[]): Span[] {
  const spans: Span[] = []
  const open = new Map<string, number>()
  for (const message of messages) {
    const isAnswer = message.type === 'response' || message.type === 'error'
    if (isAnswer) {
      const key = keyOf(message, message.direction === 'in' ? 'out' : 'in')
      const index = open.get(key)
      if (index === undefined) continue
      open.delete(key)
      spans[index] = { ...spans[index]!, to: message.offset, failed: message.type === 'error' }
      continue
    }
    const isRequest = message.type === 'request'
    if (isRequest) open.set(keyOf(message, message.direction), spans.length)
    const { seq, hop, direction, offset: from } = message
    spans.push({ seq, hop, direction, title: message.method ?? message.type, from, isRequest, failed: false })
  }
  return spans
}

function keyOf({ hop, message }: WireMessage, direction: string): string {
  const id = message !== null && typeof message === 'object' && 'id' in message ? message.id : undefined
  return `${hop} ${direction} ${writeJson(id)}`
}
