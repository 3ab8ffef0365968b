import type { Verdict } from '../../rules/permissions.ts'

/** What a rule did since the gateway was started. */
export interface RuleCount {
  readonly allowed: number
  readonly denied: number
  /** How many of the denied calls had no value for its condition. */
  readonly failed: number
  /** What it would have denied if it were enforced. */
  readonly wouldDeny: number
}

type Counted = keyof RuleCount
type Counting = { -readonly [Name in Counted]: number }

const NOTHING: RuleCount = { allowed: 0, denied: 0, failed: 0, wouldDeny: 0 }
/** More rules than any configuration has: names of rules that are gone stay counted. */
const MAX_RULES = 10_000

/** Counts the calls that each rule decided, for operators. */
export class RuleCounts {
  readonly #counts = new Map<string | undefined, Counting>()

  decided({ rule, allowed, failure }: Verdict): void {
    if (allowed) this.#add(rule, 'allowed')
    else this.#add(rule, 'denied')
    if (failure !== undefined) this.#add(rule, 'failed')
  }

  wouldDeny({ rule }: Verdict): void {
    this.#add(rule, 'wouldDeny')
  }

  /** By the name of the rule; undefined: what the default decided. */
  of(rule: string | undefined): RuleCount {
    return this.#counts.get(rule) ?? NOTHING
  }

  #add(rule: string | undefined, what: Counted): void {
    let counts = this.#counts.get(rule)
    if (!counts) {
      if (this.#counts.size >= MAX_RULES) return
      counts = { ...NOTHING }
      this.#counts.set(rule, counts)
    }
    counts[what]++
  }
}
