import { type OpenMember, OpenSet } from '../../protocol/callers.ts'

/** Something that ends at a time which it may put off. */
export interface Expiring extends OpenMember {
  /** When to look again, in milliseconds of `performance.now()`. */
  readonly due: number
  /** It is about time: what is over ends itself, and is taken off here. */
  check(now: number): void
  abort(reason: unknown): void
}

const NEVER = Number.POSITIVE_INFINITY

/**
 * One timer for all deadlines, because a timer for each request would be most of the request's cost. It is set for the
 * earliest deadline.
 */
export class Alarm {
  readonly #expiring = new OpenSet<Expiring>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #firesAt = NEVER

  add(expiring: Expiring): void {
    this.#expiring.add(expiring)
    if (this.#expiring.size === 1) keepAlive(this.#timer, true)
    this.hasten(expiring.due)
  }

  /** Something is due at this time, which may be sooner than anything else. */
  hasten(due: number): void {
    if (due < this.#firesAt) this.#set(due)
  }

  delete(expiring: Expiring): void {
    if (this.#expiring.delete(expiring) && this.#expiring.size === 0) keepAlive(this.#timer, false)
  }

  /** Ends everything that is under way. */
  abortAll(reason: unknown): void {
    for (const expiring of this.#expiring.all()) expiring.abort(reason)
  }

  #set(due: number): void {
    clearTimeout(this.#timer)
    this.#firesAt = due
    this.#timer = setTimeout(this.#ring, due - performance.now())
  }

  readonly #ring = (): void => {
    this.#firesAt = NEVER
    this.#timer = undefined
    // Timers count whole milliseconds and may be early by a part of a millisecond.
    const now = performance.now() + 1
    for (const expiring of this.#expiring.all()) if (expiring.due <= now) expiring.check(now)
    let next = NEVER
    for (const { due } of this.#expiring.all()) next = Math.min(next, due)
    this.hasten(next)
  }
}

/** In runtimes where timers keep the process alive, this timer does so only while something waits for it. */
function keepAlive(timer: unknown, wanted: boolean): void {
  const refable = timer as { ref?(): void; unref?(): void } | undefined
  if (wanted) refable?.ref?.()
  else refable?.unref?.()
}
