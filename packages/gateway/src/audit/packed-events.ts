import type { EventFacts, EventShape } from './audit-event.ts'
import type { EventExtra, WaitingEvent } from './waiting-event.ts'

/** Numbers of each event: the place of its shape, when, the request, how long it took, the target's share, bytes. */
export const NUMBERS = 6

/**
 * Events on their way to the thread that writes them. A thread gets a copy: rows of numbers and texts are copied in a
 * fraction of the time that an object for each event would take.
 */
export interface PackedEvents {
  /** What like events have in common. */
  readonly shapes: readonly EventShape[]
  readonly numbers: Float64Array
  /** The arguments of each event, as canonical JSON. */
  readonly args: readonly (string | undefined)[]
  /** By the place of the event. */
  readonly extras: ReadonlyMap<number, EventExtra>
  /** Whether callers wait until they are on the disk. */
  readonly isAwaited: boolean
  readonly wantsLines: boolean
}

/** Tells the caller that waits for an event that it is on the disk, or why not. */
export type Settle = (error?: Error) => void

/** Written together, unless they are long. */
const MOST = 1000
const MOST_CHARACTERS = 4 * 1024 * 1024

/** Gathers events that are written together. */
export class EventPack {
  /** Characters of what the events tell. */
  characters = 0
  /** No more events come: it is being written, or was already tried. */
  isClosed = false
  readonly #places = new Map<EventFacts, number>()
  readonly #shapes: EventShape[] = []
  readonly #numbers = new Numbers()
  #args: (string | undefined)[] = []
  #extras = new Map<number, EventExtra>()
  /** Whose callers wait, by their places. */
  readonly #awaited = new Map<number, { readonly settle: Settle; readonly length: number }>()

  get size(): number {
    return this.#args.length
  }

  get isFull(): boolean {
    return this.size >= MOST || this.characters >= MOST_CHARACTERS
  }

  get isAwaited(): boolean {
    return this.#awaited.size > 0
  }

  add(event: WaitingEvent, shapeOf: (facts: EventFacts) => EventShape, settle?: Settle): void {
    const { facts, extra, length } = event
    let place = this.#places.get(facts)
    if (place === undefined) {
      place = this.#shapes.push(shapeOf(facts)) - 1
      this.#places.set(facts, place)
    }
    if (extra) this.#extras.set(this.size, extra)
    if (settle) this.#awaited.set(this.size, { settle, length })
    this.#numbers.add(place, event)
    this.#args.push(event.args)
    this.characters += length
  }

  /** Tells the callers that wait. */
  settle(error?: Error): void {
    for (const { settle } of this.#awaited.values()) settle(error)
    this.#awaited.clear()
  }

  /** Takes out the events whose callers wait, and tells the callers. */
  refuse(error: Error): void {
    if (!this.isAwaited) return
    const left = this.#args.map((_, at) => at).filter((at) => !this.#awaited.has(at))
    this.#numbers.keep(left)
    this.#args = left.map((at) => this.#args[at])
    const extras = left.map((at, to) => [to, this.#extras.get(at)] as const)
    this.#extras = new Map(extras.filter((entry): entry is [number, EventExtra] => entry[1] !== undefined))
    for (const { length } of this.#awaited.values()) this.characters -= length
    this.settle(error)
  }

  packed(wantsLines: boolean): PackedEvents {
    return {
      shapes: this.#shapes,
      numbers: this.#numbers.all,
      args: this.#args,
      extras: this.#extras,
      isAwaited: this.isAwaited,
      wantsLines,
    }
  }
}

/** The numbers of events, one row after the other: they are copied to a thread as they are. */
class Numbers {
  #values = new Float64Array(NUMBERS * 64)
  #length = 0

  get all(): Float64Array {
    return this.#values.slice(0, this.#length)
  }

  add(place: number, { at, request, took, targetMs, bytes }: WaitingEvent): void {
    if (this.#length === this.#values.length) {
      const longer = new Float64Array(this.#length * 2)
      longer.set(this.#values)
      this.#values = longer
    }
    const values = this.#values
    values[this.#length++] = place
    values[this.#length++] = at
    values[this.#length++] = request
    values[this.#length++] = took
    values[this.#length++] = targetMs
    values[this.#length++] = bytes
  }

  keep(rows: readonly number[]): void {
    const { all } = this
    this.#length = 0
    for (const row of rows) {
      this.#values.set(all.subarray(row * NUMBERS, (row + 1) * NUMBERS), this.#length)
      this.#length += NUMBERS
    }
  }
}
