import { oauthError } from './oauth-error.ts'
import type { TokenSet } from './token-set.ts'

/** A token that is refused so soon after it was issued was most likely never accepted. */
const FRESH_MS = 10_000
const ASK_AGAIN_MS = 600_000
/** A server that invents new scopes for every refusal must not fill the screen with sign-in pages. */
const MAX_STEP_UPS = 5
const STEP_UPS_WITHIN_MS = 60_000

/**
 * Bounds the attempts (2026-07-28, "Step-Up Authorization Flow": "Clients SHOULD implement retry limits").
 * Success cannot be seen from here, so the age of a refused token stands for it.
 */
export class RefusalCounter {
  readonly #max: number
  readonly #asked = new Map<string, number>()
  #inARow = 0
  #stepUps: number[] = []

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

  /** Counts a step-up; throws when there are too many in a short time. */
  countStepUp(serverUrl: URL): void {
    const now = Date.now()
    this.#stepUps = [...this.#stepUps.filter((time) => now - time < STEP_UPS_WITHIN_MS), now]
    if (this.#stepUps.length <= MAX_STEP_UPS) return
    throw oauthError('too_many_attempts', 'the server wants other scopes again and again', {
      url: serverUrl,
      found: `more than ${MAX_STEP_UPS} step-ups within a minute`,
      fix: 'Name all scopes that are needed in the scopes option, to ask for them at once.',
    })
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
