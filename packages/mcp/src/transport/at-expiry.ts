import type { AuthInfo } from '../exchange/index.ts'
import { LONGEST_TIMER, unref } from '../protocol/index.ts'

/** A token that was accepted at the very end of its time gets this long: its client is about to renew it. */
const SHORTEST_LIFE = 30_000

/**
 * Calls `end` when the caller's credential expires, and returns what calls it off. Streams that stay open for
 * hours were opened with a token that was good for minutes: whoever listens on has to show a new one.
 */
export function atExpiry(auth: AuthInfo | undefined, end: () => void): () => void {
  if (auth?.expiresAt === undefined) return () => {}
  const deadline = Math.max(auth.expiresAt, Date.now() + SHORTEST_LIFE)
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = (): void => {
    const left = deadline - Date.now()
    if (left <= 0) return end()
    timer = setTimeout(wait, Math.min(left, LONGEST_TIMER))
    unref(timer)
  }
  wait()
  return () => clearTimeout(timer)
}
