import type { Cancellation } from '@gantry/mcp/exchange'

/** So many refusals of a caller are answered without a pause. */
const AT_ONCE = 50
/** The pause between the answers to further refusals, in milliseconds. */
const PACE = 100
/** In milliseconds. */
const LATEST = 6000
/** Most refusals that may wait. They have no place among the requests under way. */
const MOST_WAITING = 500
/** Callers that are counted. */
const MOST_CALLERS = 1000

/**
 * A caller that is refused again and again gets its refusals at a steady pace. Otherwise a caller that sends the next
 * request after each refusal would take time from all others.
 */
export class LateRefusals {
  /** When the next refusal of a caller would be sent, if all refusals were sent late. */
  readonly #next = new Map<string, number>()
  #waiting = 0

  /** Counts a refusal. A promise when it is to be told later; it resolves as soon as the caller is gone. */
  hold(caller: string, cancellation: Cancellation): Promise<void> | undefined {
    const now = performance.now()
    const next = Math.max(this.#next.get(caller) ?? 0, now) + PACE
    this.#note(caller, Math.min(next, now + AT_ONCE * PACE + LATEST))
    const wait = next - now - AT_ONCE * PACE
    if (wait <= 0 || this.#waiting >= MOST_WAITING || cancellation.aborted) return undefined
    // Callers of very many connections must not come back at the same time.
    return this.#pause(wait < LATEST ? wait : LATEST * (1 - Math.random() / 2), cancellation)
  }

  /** The callers that were refused longest ago are forgotten first. */
  #note(caller: string, next: number): void {
    this.#next.delete(caller)
    this.#next.set(caller, next)
    if (this.#next.size > MOST_CALLERS) this.#next.delete(this.#next.keys().next().value!)
  }

  #pause(milliseconds: number, cancellation: Cancellation): Promise<void> {
    this.#waiting++
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        cancellation.offAbort(end)
        this.#waiting--
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      cancellation.onAbort(end)
    })
  }
}
