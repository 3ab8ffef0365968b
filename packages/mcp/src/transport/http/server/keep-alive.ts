import { type OpenMember, OpenSet } from '../../../exchange/budget.ts'
import { KEEP_ALIVE, type EventSink } from './reply.ts'

interface Waiting extends OpenMember {
  since: number
  open: () => EventSink
}

/** Sends comments on silent answers, so that proxies keep them open. One timer serves all. */
export class Pulse {
  readonly #interval: number
  readonly #waiting = new OpenSet<Waiting>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(intervalMs: number) {
    this.#interval = intervalMs
  }

  get size(): number {
    return this.#waiting.size
  }

  add(open: () => EventSink): () => void {
    const entry: Waiting = { place: -1, since: Date.now(), open }
    this.#waiting.add(entry)
    if (this.#timer === undefined && this.#interval > 0) this.#start()
    return () => this.#waiting.delete(entry)
  }

  #start(): void {
    this.#timer = setInterval(() => this.#beat(), this.#interval)
    this.#timer.unref?.()
  }

  #beat(): void {
    if (this.#waiting.size === 0) return this.stop()
    const due = Date.now() - this.#interval
    for (const entry of this.#waiting.all()) if (entry.since <= due) entry.open().write(KEEP_ALIVE)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
