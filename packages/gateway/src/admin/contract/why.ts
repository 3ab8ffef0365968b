import type { EntryKind } from './common.ts'

/** `GET /api/why?name=…`: why a tool, prompt or resource is missing, slow, denied, renamed or stale. */
export interface WhyReport {
  readonly name: string
  readonly verdict: 'available' | 'degraded' | 'missing'
  readonly summary: string
  /** From the gateway outwards. The first cause with the status `problem` is the one to mend first. */
  readonly chain: readonly Cause[]
  /** The entry or target with this name; absent when nothing has the name. */
  readonly subject?: {
    readonly kind?: EntryKind
    readonly target?: string
    readonly own?: string
    readonly key?: string
  }
  /** The verdict of each rule of the policy; absent when no rule could be asked. */
  readonly rules?: readonly RuleReport[]
  readonly similar: readonly { readonly kind: EntryKind; readonly key: string; readonly target: string }[]
}

export interface RuleReport {
  readonly rule: string
  /** `other`: it is about other callers or other objects. `depends`: on the arguments, the time or the calls before. */
  readonly says:
    | 'allows'
    | 'wants approval'
    | 'wants confirmation'
    | 'denies'
    | 'does not hold'
    | 'depends'
    | 'fails'
    | 'other'
  /** Whether this rule made the decision. */
  readonly decides: boolean
  /** `audit`: the rule is tried out, and decides nothing. */
  readonly mode: 'enforce' | 'audit'
  readonly when?: string
  /** Why the condition has no value. */
  readonly failure?: string
  /** The message that callers get. */
  readonly message?: string
}

export type CauseCode =
  | 'configured'
  | 'not-configured'
  | 'disabled'
  | 'target-ready'
  | 'target-idle'
  | 'target-starting'
  | 'target-failing'
  | 'needs-auth'
  | 'stopped'
  | 'list-missing'
  | 'offered'
  | 'not-offered'
  | 'excluded'
  | 'not-included'
  | 'renamed'
  | 'not-in-view'
  | 'not-for-caller'
  | 'described'
  | 'shortened'
  | 'collision'
  | 'duplicate-uri'
  | 'denied'
  | 'allowed'
  | 'stale'
  | 'slow'
  | 'failing-calls'
  | 'refused-questions'

export interface Cause {
  readonly code: CauseCode
  /** `ok`: this link of the chain holds. `note`: worth knowing. `problem`: this is why. */
  readonly status: 'ok' | 'note' | 'problem'
  readonly title: string
  readonly detail?: string
  readonly fix?: string
  readonly target?: string
  /** The last lines of stderr, where they say more. */
  readonly stderr?: readonly string[]
}
