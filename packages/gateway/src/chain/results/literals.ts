import { RefusedResult } from './refused-result.ts'

/** Shorter texts would be found everywhere. */
const SHORTEST = 4
/** Longer texts are searched for separately. */
const LONGEST = 256
const MOST_LONG = 100
const MOST = 100_000
/** One expression with more alternatives is slow to make. */
const AT_ONCE = 5000

/** Texts that may not show up anywhere, each with what stands in its place. More than can be looked for are refused. */
export class Literals {
  readonly #short = new Map<string, string>()
  readonly #long = new Map<string, string>()
  #patterns: readonly RegExp[] | undefined

  add(text: string, replacement: string): void {
    if (text.length < SHORTEST) return
    const kept = text.length > LONGEST ? this.#long : this.#short
    kept.set(text, replacement)
    this.#patterns = undefined
    if (this.#short.size > MOST || this.#long.size > MOST_LONG) {
      throw new RefusedResult('it holds too much that is masked')
    }
  }

  clean(text: string): string {
    let shown = text
    for (const [literal, replacement] of this.#long) shown = shown.replaceAll(literal, () => replacement)
    if (this.#short.size === 0) return shown
    this.#patterns ??= patternsOf([...this.#short.keys()])
    for (const pattern of this.#patterns) {
      shown = shown.replace(pattern, (literal) => this.#short.get(literal)!)
    }
    return shown
  }
}

/** Longer texts first: they may begin with shorter ones. */
function patternsOf(literals: readonly string[]): RegExp[] {
  const sorted = literals.toSorted((one, other) => other.length - one.length)
  const patterns: RegExp[] = []
  for (let from = 0; from < sorted.length; from += AT_ONCE) {
    const escaped = sorted
      .slice(from, from + AT_ONCE)
      .map((literal) => literal.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    patterns.push(new RegExp(escaped.join('|'), 'g'))
  }
  return patterns
}
