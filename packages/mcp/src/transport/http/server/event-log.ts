import type { Budget } from '../../../protocol/callers.ts'
import { type RequestId, parseJson } from '../../../jsonrpc/index.ts'
import { fromBase64Url, toBase64Url } from '../../../protocol/encoding.ts'

interface LoggedEvent {
  readonly sequence: number
  readonly text: string
}

/** A message of a stream, with the id that tells clients where they are. */
export interface SentEvent {
  readonly id: string
  readonly text: string
}

/** Answers that were given when their clients were gone, where other processes find them as well. */
export interface KeptAnswers {
  /** `log` has all of the stream, the answer last. */
  keep(session: string, log: Pick<EventLog, 'streamId' | 'after'>): void
  /**
   * The events after a known event, as they are written to an event stream; empty when the event is unknown. Never
   * rejects.
   */
  find(session: string, lastEventId: string): Promise<string>
}

/** Bounds on what one stream keeps for clients that reconnect. A session may keep twice as much. */
export interface EventLogLimits {
  maxEvents: number
  maxCharacters: number
  /** Where answers are kept besides, so that their clients may come back to another process. */
  answers?: KeptAnswers
}

export const DEFAULT_EVENT_LIMITS: EventLogLimits = { maxEvents: 256, maxCharacters: 4_000_000 }

/** The events that all streams of one session keep. They count as held by the caller of the session. */
export class KeptEvents {
  readonly #caller: string
  readonly #budget: Budget
  readonly #max: number
  #held = 0
  #isClosed = false
  /** Forgets something of the session; false when there is nothing to forget. */
  makeRoom: () => boolean = () => false

  constructor(caller: string, budget: Budget, perStream: number) {
    this.#caller = caller
    this.#budget = budget
    this.#max = 2 * perStream
  }

  take(characters: number): boolean {
    if (this.#isClosed) return false
    const isFull = (): boolean =>
      this.#held + characters > this.#max || this.#budget.take(this.#caller, characters) !== undefined
    while (isFull()) if (!this.makeRoom()) return false
    this.#held += characters
    return true
  }

  give(characters: number): void {
    if (this.#isClosed) return
    this.#held -= characters
    this.#budget.give(this.#caller, characters)
  }

  close(): void {
    this.give(this.#held)
    this.#isClosed = true
  }
}

/** The events of one stream of a legacy session, for clients that come back (`Last-Event-ID`). */
export class EventLog {
  readonly #answers: RequestId | undefined
  readonly #limits: EventLogLimits
  readonly #kept: KeptEvents
  readonly #events: LoggedEvent[] = []
  #characters = 0
  #next = 1
  /** The last answer to a request that is not kept any more. */
  #lost = 0
  #streamId: string | undefined

  /** `answers`: the request whose answer ends the stream. */
  constructor(answers: RequestId | undefined, limits: EventLogLimits, kept: KeptEvents) {
    this.#answers = answers
    this.#limits = limits
    this.#kept = kept
  }

  /** Most streams never have an event, and need no log. */
  get streamId(): string {
    this.#streamId ??= newStreamId(this.#answers)
    return this.#streamId
  }

  /** False as long as the client has not been told the id. */
  isOf(streamId: string): boolean {
    return this.#streamId === streamId
  }

  /** Remembers a message, if there is room for it, and returns its event id. */
  append(text: string): string {
    const event = { sequence: this.#next++, text }
    if (this.#makeRoom(text.length)) {
      this.#events.push(event)
      this.#characters += text.length
    } else this.#lose(event)
    return `${this.streamId}_${event.sequence}`
  }

  /** An id for an event without content: where a client stands before anything was sent. */
  prime(): string {
    return `${this.streamId}_${this.#next - 1}`
  }

  /** The events after this event; undefined when a message is gone that the client would wait for. */
  after(sequence: number): SentEvent[] | undefined {
    if (sequence < this.#lost) return undefined
    return this.#events
      .filter((event) => event.sequence > sequence)
      .map((event) => ({ id: `${this.streamId}_${event.sequence}`, text: event.text }))
  }

  /** The client will not come back. */
  clear(): void {
    while (this.#events.length > 0) this.#dropOldest()
  }

  #makeRoom(length: number): boolean {
    const { maxEvents, maxCharacters } = this.#limits
    if (length > maxCharacters) return false
    while (this.#events.length >= maxEvents || this.#characters + length > maxCharacters) this.#dropOldest()
    while (!this.#kept.take(length)) {
      if (this.#events.length === 0) return false
      this.#dropOldest()
    }
    return true
  }

  #dropOldest(): void {
    const event = this.#events.shift()!
    this.#characters -= event.text.length
    this.#kept.give(event.text.length)
    this.#lose(event)
  }

  #lose({ sequence, text }: LoggedEvent): void {
    if (!text.startsWith(NOTIFICATION)) this.#lost = Math.max(this.#lost, sequence)
  }
}

/** How notifications begin (answer.ts). All else is a question, or an answer. */
const NOTIFICATION = '{"jsonrpc":"2.0","method":'

/** A longer id of a request is left out. */
const MAX_ANSWERS = 64

let incarnation: string | undefined
let streams = 0

/** A name that no other stream ever has, also after a restart. It tells which request is answered. */
export function newStreamId(answers: RequestId | undefined): string {
  // Not when the module is loaded: some platforms have no random numbers then.
  incarnation ??= crypto.randomUUID().slice(0, 8)
  const id = `${incarnation}.${++streams}`
  if (answers === undefined) return id
  const json = JSON.stringify(answers)
  return json.length > MAX_ANSWERS ? id : `${id}.${toBase64Url(new TextEncoder().encode(json))}`
}

export function parseEventId(id: string): { streamId: string; sequence: number } | undefined {
  const at = id.lastIndexOf('_')
  const sequence = Number(id.slice(at + 1))
  return at > 0 && Number.isSafeInteger(sequence) ? { streamId: id.slice(0, at), sequence } : undefined
}

/** The request that a stream was opened to answer; undefined when its id says nothing of the kind. */
export function answeredOn(streamId: string): RequestId | undefined {
  const [, , encoded] = streamId.split('.', 3)
  const bytes = encoded === undefined ? undefined : fromBase64Url(encoded)
  if (!bytes || bytes.length > MAX_ANSWERS * 3) return undefined
  try {
    const id: unknown = parseJson(new TextDecoder().decode(bytes))
    return typeof id === 'string' || typeof id === 'number' ? id : undefined
  } catch {
    return undefined
  }
}
