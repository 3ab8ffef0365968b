import type { ObjectPattern } from './policy-model.ts'

/** What may come back from targets, and in what form. */
export interface ResultRule {
  /** For explanations. */
  readonly name: string
  /** What it is about; empty: everything. */
  readonly for: readonly ObjectPattern[]
  readonly mask: readonly Sensitive[]
  readonly drop: readonly Sensitive[]
  readonly refuse: readonly Sensitive[]
  /** Results are marked as text that nobody vouches for. */
  readonly untrusted: boolean
  /** Characters that people do not see are taken out of results. */
  readonly stripHidden: boolean
  /** Longer results of tools are cut. */
  readonly maxTokens: number | undefined
  /** Texts that only repeat the structured content are left out. */
  readonly dropRepeated: boolean
}

/** What is looked for: by a detector's name, by a pattern of RE2, or by its place in structured content. */
export type Sensitive =
  | { readonly kind: 'detector'; readonly name: string }
  | { readonly kind: 'pattern'; readonly name: string; readonly source: string }
  | { readonly kind: 'path'; readonly name: string; readonly path: readonly string[] }
