/**
 * Who may do what. Of the rules whose `who` matches the caller, a matching `deny` forbids, else a matching
 * `allow` permits, else `fallback` decides.
 */
export interface PolicyModel {
  readonly fallback: 'allow' | 'deny'
  readonly rules: readonly RuleModel[]
}

export interface RuleModel {
  /** For explanations. */
  readonly name: string
  readonly who: WhoModel
  readonly allow: readonly ObjectPattern[]
  readonly deny: readonly ObjectPattern[]
}

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

export type ObjectKind = 'tools' | 'prompts' | 'resources'

/** `[KIND:]TARGET/NAME`, with wildcards; NAME is the target's own name or URI. */
export interface ObjectPattern {
  readonly kind: ObjectKind | undefined
  readonly target: string
  readonly name: string
}

/** Reads `tools:github/create_*`, `github/*` or `github` (the same as `github/*`). */
export function parseObjectPattern(text: string): ObjectPattern {
  const prefix = /^(tools|prompts|resources):/.exec(text)
  const rest = prefix ? text.slice(prefix[0].length) : text
  const slash = rest.indexOf('/')
  return {
    kind: prefix?.[1] as ObjectKind | undefined,
    target: slash < 0 ? rest : rest.slice(0, slash),
    name: slash < 0 ? '*' : rest.slice(slash + 1),
  }
}
