import { type AuditEvent, waitingEvent, type WaitingEvent } from './audit-event.ts'
import type { ChainHead } from './hash-chain.ts'

/** What waits for the file. A function makes an event that depends on the one before it. */
export type Entry = WaitingEvent | AwaitedEvent | ((last: ChainHead) => AuditEvent)

/** An event whose caller goes on when it is written. */
interface AwaitedEvent {
  readonly event: WaitingEvent
  settle(error?: Error): void
}

/** Tells the caller that waits for an entry that it is written, or why not. Most entries have no such caller. */
export function settlerOf(entry: Entry): AwaitedEvent['settle'] | undefined {
  return 'settle' in entry ? entry.settle : undefined
}

/** Characters of what an entry tells, which a caller decides. */
export function lengthOf(entry: Entry): number {
  if (typeof entry === 'function') return 0
  return ('settle' in entry ? entry.event : entry).length
}

export function eventOf(entry: Entry, last: ChainHead): WaitingEvent {
  if (typeof entry === 'function') return waitingEvent(entry(last))
  return 'settle' in entry ? entry.event : entry
}
