import { nameForms, type NameForms } from './name-forms.ts'
import { toUriPattern, type UriPattern } from './uri/index.ts'

/** Who may do what. Of the rules that match the caller, `deny` wins over `allow`; else `fallback` decides. */
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
