import type { Secret } from './secret.ts'
import { nameForms, type NameForms } from './name-forms.ts'
import { toUriPattern, type UriPattern } from './uri/index.ts'

/** The rules of policy. Of those that match the caller, `deny` wins over `allow`; else `fallback` decides. */
export interface RuleSet {
  readonly fallback: 'allow' | 'deny'
  readonly rules: readonly RuleModel[]
  /** Nothing else is there, whatever the rules say. Undefined: everything. */
  readonly within?: readonly ObjectPattern[] | undefined
}

export interface PolicyModel extends RuleSet {
  /**
   * The same with the rules that are tried out, whose further denials are logged. Undefined when no rule is tried out.
   */
  readonly trial?: RuleSet | undefined
  /**
   * A service that is told about calls which wait for approval, and may decide them; undefined when none is configured.
   */
  readonly webhook?: { readonly url: string; readonly secret: Secret } | undefined
}

export interface RuleModel {
  /** For explanations. */
  readonly name: string
  readonly who: WhoModel
  readonly allow: readonly ObjectPattern[]
  readonly deny: readonly ObjectPattern[]
  /** Without a condition the rule always holds. */
  readonly when?: Condition | undefined
  /** The message for callers. Without it a denied object looks as if it did not exist. */
  readonly message?: string | undefined
  /** Calls that it allows need the approval of another person. */
  readonly approve?: ApproveModel | undefined
  /** Calls that it allows need the caller's confirmation. */
  readonly confirm?: boolean | undefined
}

/** The approvers of a call, and the time that it waits. */
export interface ApproveModel {
  readonly by: readonly ApproverPattern[]
  /** In milliseconds. */
  readonly within: number
  /** The message for approvers. */
  readonly message: string | undefined
}

/** `operator` is everyone who may administer the gateway. Persons and workloads are those of one issuer. */
export type ApproverPattern =
  | { readonly kind: 'operator' }
  | { readonly kind: 'group' | 'scope' | 'key'; readonly name: string }
  | { readonly kind: 'person' | 'workload'; readonly issuer: string; readonly name: string }

/** `group:leads`, as it is written in the configuration. */
export function describeApprover(approver: ApproverPattern): string {
  return approver.kind === 'operator' ? 'operator' : `${approver.kind}:${approver.name}`
}

/** Where something is written in the configuration; lines and columns are counted from 1. */
export interface SourcePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/**
 * Whether a condition uses no arguments, some of them, or all of them as a whole (`size(args)`); and which arguments it
 * asks for with `has()`.
 */
export interface ArgumentUse {
  readonly use: 'none' | 'some' | 'whole'
  readonly guarded: readonly string[]
}

/** An expression about a request, compiled. Two are the same when their texts are. */
export interface Condition {
  readonly source: string
  readonly place: SourcePlace | undefined
  readonly args: ArgumentUse
  /** The facts that it reads. Its value is the same as long as they are. */
  readonly reads: readonly FactSource[]
  /** The lengths of the windows in which it counts calls, in milliseconds. */
  readonly windows: readonly number[]
  /** `facts` come from `rules/facts.ts`. */
  evaluate(facts: unknown): Truth
  whyItFails(facts: unknown): string
}

/** The caller's credentials; its client and endpoint; the object; its definition; the call itself. */
export type FactSource = 'auth' | 'client' | 'object' | 'item' | 'call'

/** `maybe`: what is not known yet decides. `fails`: it has no value, and the rule denies. */
export type Truth = 'yes' | 'no' | 'maybe' | 'fails'

/** Empty: everyone. Otherwise one entry of any list has to match. Scopes and API keys are wildcards. */
export interface WhoModel {
  readonly principals: readonly PrincipalPattern[]
  readonly scopes: readonly string[]
  readonly apiKeys: readonly string[]
}

/** Callers with a token. Kind and issuer have to be equal; `subject` is a wildcard. */
export interface PrincipalPattern {
  readonly kind: 'person' | 'workload'
  readonly issuer: string
  readonly subject: string
}

/** `methods` are requests that the specification does not know: a target's own. */
export type ObjectKind = 'tools' | 'prompts' | 'resources' | 'methods'

/** `[KIND:]TARGET/NAME`, with wildcards; NAME is the target's own name, URI or method. */
export interface ObjectPattern {
  readonly kind: ObjectKind | undefined
  readonly target: string
  readonly name: string
  /** NAME as a pattern for names. */
  readonly forms: NameForms
  /** NAME as a pattern for URIs. */
  readonly uri: UriPattern
}

/** Reads `tools:github/create_*`, `methods:github/vendor/*`, `github/*` or `github` (the same as `github/*`). */
export function parseObjectPattern(text: string): ObjectPattern {
  const prefix = /^(tools|prompts|resources|methods):/.exec(text)
  const rest = prefix ? text.slice(prefix[0].length) : text
  const slash = rest.indexOf('/')
  const name = slash < 0 ? '*' : rest.slice(slash + 1)
  return {
    kind: prefix?.[1] as ObjectKind | undefined,
    target: slash < 0 ? rest : rest.slice(0, slash),
    name,
    forms: nameForms(name),
    uri: toUriPattern(name),
  }
}
