import { oauthError } from './oauth-error.ts'
import type { TokenSet } from './token-set.ts'

/** A token that is refused so soon after it was issued was most likely never accepted. */
const FRESH_MS = 10_000
const ASK_AGAIN_MS = 600_000

/**
 * Bounds the attempts (2026-07-28, "Step-Up Authorization Flow": "Clients SHOULD implement retry limits").
 * Success cannot be seen from here, so the age of a refused token stands for it.
 */
export class RefusalCounter {
  readonly #max: number
  readonly #asked = new Map<string, number>()
  #inARow = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Counts a refused token. True when it was fresh; throws when too many in a row were. */
  count(tokens: TokenSet, serverUrl: URL): boolean {
    const fresh = Date.now() - tokens.obtainedAt < FRESH_MS
    this.#inARow = fresh ? this.#inARow + 1 : 0
    if (this.#inARow < this.#max) return fresh
    throw oauthError(
      'too_many_attempts',
      'the server refuses every token that its authorization server issues',
      {
        url: serverUrl,
        found: `${this.#inARow} new tokens in a row refused with 401`,
        fix:
          'The two servers do not agree: compare the audience (resource), issuer and signing keys that the MCP ' +
          'server expects with what the authorization server issues.',
      },
    )
  }

  /** Whether scopes that were asked for already, without success, may be asked for once more. */
  mayAskAgain(scopes: readonly string[]): boolean {
    const now = Date.now()
    for (const [key, time] of this.#asked) if (now - time > ASK_AGAIN_MS) this.#asked.delete(key)
    const key = [...scopes].sort().join(' ')
    if (this.#asked.has(key)) return false
    this.#asked.set(key, now)
    return true
  }
}
