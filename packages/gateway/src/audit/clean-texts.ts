import { cutText } from '@gantry/mcp/foreign'
import type { Clean } from './audit-event.ts'

const MOST = 2000
/** Callers decide how long the names are that they ask for. */
const LONGEST = 1000
/** Texts that were clean may hold a secret that became known since, such as a token. */
const KEPT_FOR = 10_000

/** Takes secrets out of texts. Texts that come again and again are searched only once. */
export class CleanTexts {
  readonly #clean: Clean
  readonly #known = new Map<string, string>()
  #until = 0

  constructor(clean: Clean) {
    this.#clean = clean
  }

  readonly clean: Clean = (text) => {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const now = performance.now()
    if (this.#known.size >= MOST || now > this.#until) {
      this.#known.clear()
      this.#until = now + KEPT_FOR
    }
    const clean = this.#clean(cutText(text, LONGEST))
    if (text.length <= LONGEST) this.#known.set(text, clean)
    return clean
  }
}
