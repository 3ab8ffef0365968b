import type { EntryKind, JsonObject, Timestamp } from './common.ts'
import type { KeyRow } from './keys.ts'

/** `GET /api/access`: the callers, their rights, and the figures of rules and limits since the start. */
export interface Access {
  /** Whether callers need a key or a token. */
  readonly required: boolean
  /** Whether keys of the store open the door. */
  readonly acceptingKeys: boolean
  readonly keys: readonly AccessKey[]
  /** The issuers whose tokens are accepted. */
  readonly issuers: readonly { readonly issuer: string; readonly scopes: readonly string[] }[]
  /** The latest callers, the newest first. */
  readonly callers: readonly AccessCaller[]
  readonly policy: AccessPolicy
  readonly limits: readonly AccessLimit[]
  readonly results: readonly AccessResultRule[]
  /** Counts of removed values, by detector or pattern. */
  readonly found: readonly AccessFinding[]
  readonly views: readonly AccessView[]
}

export interface AccessKey extends KeyRow {
  /** Since the start. */
  readonly lastSeen?: Timestamp
  readonly requests: number
}

/** A caller as `why` and `seen` are asked about it. */
export interface AccessCaller {
  /** `key:NAME`, `person:SUBJECT` or `workload:SUBJECT`; absent: without credentials. */
  readonly as?: string
  readonly issuer?: string
  readonly clients: readonly string[]
  readonly requests: number
  readonly lastSeen: Timestamp
}

export interface AccessPolicy {
  readonly fallback: 'allow' | 'deny'
  /** The decisions of the default. */
  readonly byDefault: RuleFigures
  readonly rules: readonly AccessRule[]
}

export interface RuleFigures {
  readonly allowed: number
  readonly denied: number
  /** How many of the denied calls had no value for the condition. */
  readonly failed: number
  /** What it would have denied if it were enforced. */
  readonly wouldDeny: number
}

export interface AccessRule extends RuleFigures {
  readonly name: string
  readonly mode: 'enforce' | 'audit'
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** In words; absent: everybody. */
  readonly who?: string
  readonly when?: string
  readonly message?: string
  /** Calls that it allows need the approval of another person, or the caller's confirmation. */
  readonly needs?: 'approval' | 'confirmation'
}

export interface AccessLimit {
  readonly name: string
  readonly for: readonly string[]
  readonly by?: string
  readonly shared: boolean
  /** `30/m, burst 60`, `5000 a day`. */
  readonly numbers: readonly string[]
  readonly refused: number
  /** How many callers, or values of `by`, were counted. */
  readonly counted: number
  /** The fullest first. */
  readonly shares: readonly LimitShare[]
}

export interface LimitShare {
  readonly who: string
  readonly fills: readonly {
    readonly of: 'rate' | 'perDay' | 'concurrent'
    readonly used: number
    readonly capacity: number
  }[]
}

export interface AccessResultRule {
  readonly name: string
  readonly for: readonly string[]
  readonly mask: readonly string[]
  readonly drop: readonly string[]
  readonly refuse: readonly string[]
  readonly untrusted: boolean
  readonly stripHidden: boolean
  readonly maxTokens?: number
}

export interface AccessFinding {
  readonly name: string
  readonly mask: number
  readonly drop: number
  readonly refuse: number
}

export interface AccessView {
  readonly name: string
  readonly title?: string
  readonly use: readonly string[]
  readonly who?: string
  /** Tools and prompts that look different in it. */
  readonly shaped: number
}

/** `POST /api/access/seen`: an endpoint as one caller sees it. */
export interface AskSeen {
  /** The name of a view or a target; absent: the common endpoint. */
  readonly endpoint?: string
  /** An entry of `views` in place of what the file has. */
  readonly edited?: JsonObject
  readonly as?: string
  readonly issuer?: string
  /** In its token. */
  readonly claims?: JsonObject
  /** Asks for the definitions of this entry, and for no list. */
  readonly entry?: { readonly kind: EntryKind; readonly target: string; readonly own: string }
}

export interface Seen {
  /** False when the view is not there for this caller. */
  readonly mayUse: boolean
  readonly instructions?: string
  /** Everything that its targets have; what the caller does not see says why. Empty where one entry is asked for. */
  readonly entries: readonly SeenEntry[]
  readonly entry?: { readonly definition?: JsonObject; readonly ownDefinition: JsonObject }
  /** Why the edited view cannot be used. */
  readonly problems: readonly string[]
}

export interface SeenEntry {
  readonly kind: EntryKind
  readonly target: string
  readonly own: string
  /** The name or URI that the caller uses; absent when it does not see it. */
  readonly key?: string
  readonly title?: string
  readonly description?: string
  /** Tokens of the definition that the caller gets. */
  readonly tokens: number
  /** Tokens of the target's own definition. */
  readonly ownTokens: number
  readonly hiddenBy?: 'configuration' | 'view' | 'policy'
  /** The rule that hides it; absent where the default does. */
  readonly rule?: string
}

/** `POST /api/access/views`: how the file would change a view. Nothing is written. */
export interface EditView {
  readonly name: string
  /** Its entry in `views`; null takes it out. */
  readonly view: JsonObject | null
}

/** `GET /api/access/views/{name}`: its entry in the file, secrets masked. */
export interface ViewEntryText {
  readonly view: JsonObject
}
