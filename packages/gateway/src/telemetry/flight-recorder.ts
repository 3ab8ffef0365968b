import { lengthOf, type Outcome, outlineOf } from '@gantry/mcp/exchange'
import type { ExchangeRecord, SeenMessage } from './exchange-record.ts'

/** How many of the slowest are known. */
const SLOWEST = 100
/** Nothing below this is slow, in milliseconds. */
export const SLOW_FROM = 100

/** Finds out which exchanges are among the slowest. */
export class Slowest {
  /** Their durations, the slowest last. */
  #durations: number[] = []

  /** Adds an exchange. Returns whether it is among the slowest. */
  take({ method, durationMs = 0 }: ExchangeRecord): boolean {
    // A subscription lasts as long as its client wants.
    if (durationMs < SLOW_FROM || method === 'subscriptions/listen') return false
    if (this.#durations.length >= SLOWEST && durationMs <= this.#durations[0]!) return false
    const place = this.#durations.findIndex((other) => other > durationMs)
    this.#durations.splice(place === -1 ? this.#durations.length : place, 0, durationMs)
    if (this.#durations.length > SLOWEST) this.#durations.shift()
    return true
  }

  clear(): void {
    this.#durations = []
  }
}

/** A long result without its long texts: what came in bytes is not read for this. */
export function inOutline(seen: SeenMessage, longest: number): SeenMessage {
  const outcome = seen.message as Partial<Outcome> | undefined
  if (outcome?.type !== 'complete') return seen
  const result = outcome as Extract<Outcome, { type: 'complete' }>
  if ((lengthOf(result) ?? 0) <= longest) return seen
  const message = { type: 'complete', result: outlineOf(result) }
  return { ...seen, message, note: 'long texts are left out' }
}
