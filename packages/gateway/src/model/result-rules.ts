import type { ObjectPattern } from './policy-model.ts'
import type { ResultRuleSettings } from './settings.gen.ts'

/** A rule for the results of targets. */
export interface ResultRule extends Pick<ResultRuleSettings, 'untrusted' | 'stripHidden' | 'dropRepeated'> {
  /** For explanations. */
  readonly name: string
  /** The objects of the rule; empty: everything. */
  readonly for: readonly ObjectPattern[]
  readonly mask: readonly Sensitive[]
  readonly drop: readonly Sensitive[]
  readonly refuse: readonly Sensitive[]
  /** Longer results of tools are cut. */
  readonly maxTokens: number | undefined
}

/** A sensitive value: by a detector's name, by a pattern of RE2, or by its place in structured content. */
export type Sensitive =
  | { readonly kind: 'detector'; readonly name: string }
  | { readonly kind: 'pattern'; readonly name: string; readonly source: string }
  | { readonly kind: 'path'; readonly name: string; readonly path: readonly string[] }
