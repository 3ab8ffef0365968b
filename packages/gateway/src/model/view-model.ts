import type { ArgumentUse, FactSource, ObjectPattern, WhoModel } from './policy-model.ts'
import type { ResultRule } from './result-rules.ts'

/** A selection of what the targets have, under an endpoint and names of its own. */
export interface ViewModel {
  readonly name: string
  readonly title: string | undefined
  /** In the place of the gateway's own instructions. */
  readonly instructions: string | undefined
  /** The entries that it offers, as far as policy allows them. */
  readonly use: readonly ObjectPattern[]
  /** The callers that may use it; empty: everyone. */
  readonly who: WhoModel
  /** How tools and prompts look in it, by `KIND:TARGET/NAME`. */
  readonly entries: ReadonlyMap<string, ViewEntry>
  /** The view's own rules for results, in addition to those of the gateway. */
  readonly results: readonly ResultRule[]
}

/** How a tool or a prompt looks in a view. */
export interface ViewEntry {
  /** The whole name; undefined: as on the common endpoint. */
  readonly name: string | undefined
  readonly title: string | undefined
  readonly description: string | undefined
  /** By the target's own name of the parameter. */
  readonly parameters: ReadonlyMap<string, ViewParameter>
}

/** How a parameter looks in a view. */
export interface ViewParameter {
  /** Clients do not see it: it always has this value. */
  readonly fixed: Filled | undefined
  /** Its value when a client leaves it out. */
  readonly default: Filled | undefined
  /** Its name for clients. */
  readonly rename: string | undefined
  readonly description: string | undefined
  /** Keywords of JSON Schema that it has to meet besides: `enum`, `maximum` and so on. */
  readonly narrow: Readonly<Record<string, unknown>>
}

/** A value, or an expression that gives it. */
export type Filled = { readonly value: unknown } | { readonly expression: Expression }

/** An expression that gives a value, compiled. */
export interface Expression {
  readonly source: string
  /** The kind of its value, as CEL names it; `dyn` where that depends on the request. */
  readonly type: string
  readonly args: ArgumentUse
  /** The facts that it reads. */
  readonly reads: readonly FactSource[]
  /** `facts` come from `rules/facts.ts`. Throws when the expression has no value. */
  evaluate(facts: unknown): unknown
}

export function viewEntryKey(kind: 'tools' | 'prompts', target: string, own: string): string {
  return `${kind}:${target}/${own}`
}
