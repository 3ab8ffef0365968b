import type { Cancellation } from '@gantry/mcp/exchange'

/**
 * Requests that wait, each in the line of its caller. The lines take turns, so that a long line does not delay the
 * others.
 */
export class FairQueue {
  /** The line at the front of the map is the next to be served. */
  readonly #lines = new Map<string, Set<() => void>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(caller: string): number {
    return this.#lines.get(caller)?.size ?? 0
  }

  /** Resolves when its turn has come; rejects when the caller gives up before that. */
  wait(caller: string, cancellation?: Cancellation): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#remove(caller, go)
        reject(cancellation?.reason)
      }
      const go = (): void => {
        cancellation?.offAbort(giveUp)
        resolve()
      }
      if (cancellation?.aborted) return reject(cancellation.reason)
      const line = this.#lines.get(caller) ?? new Set()
      this.#lines.set(caller, line)
      line.add(go)
      this.#size++
      cancellation?.onAbort(giveUp)
    })
  }

  /**
   * Lets the next request go: the first in the line whose turn it is. Returns its caller; undefined when no request
   * waits.
   */
  next(): string | undefined {
    const [caller, line] = this.#lines.entries().next().value ?? []
    if (caller === undefined) return undefined
    const [go] = line as Set<() => void>
    this.#remove(caller, go!)
    // Goes to the end of the lines: it is the turn of others.
    const rest = this.#lines.get(caller)
    if (rest) {
      this.#lines.delete(caller)
      this.#lines.set(caller, rest)
    }
    go!()
    return caller
  }

  #remove(caller: string, go: () => void): void {
    const line = this.#lines.get(caller)
    if (!line?.delete(go)) return
    this.#size--
    if (line.size === 0) this.#lines.delete(caller)
  }
}
