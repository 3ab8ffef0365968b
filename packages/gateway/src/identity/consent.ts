import type { Principal } from '@gantry/mcp/exchange'

/** The answer of a person, or that the person has taken it back. */
export interface Consent {
  readonly principal: Principal
  readonly answer: 'given' | 'refused' | 'withdrawn'
  /** The program that may act for the person, and what it may do. */
  readonly client?: { readonly id: string; readonly scopes: readonly string[] }
  /** The target that is used with an account of the person. */
  readonly target?: string
}

export type OnConsent = (consent: Consent) => void
