import type { RequestId } from '../../../jsonrpc/index.ts'
import { newStreamId } from './stream-ids.ts'

/** An event that a client may still ask for. */
interface LoggedEvent {
  readonly sequence: number
  readonly text: string
}

/** Bounds on what a session keeps for clients that reconnect. */
export interface EventLogLimits {
  maxEvents: number
  maxCharacters: number
}

export const DEFAULT_EVENT_LIMITS: EventLogLimits = { maxEvents: 256, maxCharacters: 1_000_000 }

/**
 * What was sent on one stream of a legacy session, so that a client whose connection broke can ask for the
 * rest (`Last-Event-ID`, 2025-03-26 to 2025-11-25). The oldest events make room for new ones.
 */
export class EventLog {
  readonly #answers: RequestId | undefined
  readonly #limits: EventLogLimits
  readonly #events: LoggedEvent[] = []
  #characters = 0
  #next = 1
  #streamId: string | undefined

  /** How much is kept. */
  get characters(): number {
    return this.#characters
  }

  /** `answers`: the request whose answer ends the stream. */
  constructor(answers: RequestId | undefined, limits: EventLogLimits) {
    this.#answers = answers
    this.#limits = limits
  }

  /** Most streams never have an event, and need none. */
  get streamId(): string {
    this.#streamId ??= newStreamId(this.#answers)
    return this.#streamId
  }

  /** False as long as nobody has been told the id. */
  isOf(streamId: string): boolean {
    return this.#streamId === streamId
  }

  /** Remembers a message and returns its event id. */
  append(text: string): string {
    const sequence = this.#next++
    this.#events.push({ sequence, text })
    this.#characters += text.length
    while (
      this.#events.length > 1 &&
      (this.#events.length > this.#limits.maxEvents || this.#characters > this.#limits.maxCharacters)
    ) {
      this.#characters -= this.#events.shift()!.text.length
    }
    return `${this.streamId}_${sequence}`
  }

  /** An id for an event without content: where a client stands before anything was sent. */
  prime(): string {
    return `${this.streamId}_${this.#next - 1}`
  }

  after(sequence: number): { id: string; text: string }[] {
    return this.#events
      .filter((event) => event.sequence > sequence)
      .map((event) => ({ id: `${this.streamId}_${event.sequence}`, text: event.text }))
  }
}
