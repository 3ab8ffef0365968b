import {
  coversPattern,
  forbidsName,
  forbidsUri,
  matchesWildcard,
  nameForms,
  permitsName,
  permitsUri,
  readUri,
  type ObjectKind,
  type ObjectPattern,
  type PolicyModel,
  type RuleModel,
  type WhoModel,
} from '../../model/index.ts'
import type { AuthInfo, Principal } from '@gantry/mcp/exchange'

/** Something of a target, by the target's own name for it. */
export interface PolicyObject {
  readonly kind: ObjectKind
  readonly target: string
  readonly name: string
}

export interface Verdict {
  readonly allowed: boolean
  /** The rule that decided; undefined when the default did. */
  readonly rule: string | undefined
}

const LISTED_KINDS = ['tools', 'prompts', 'resources'] as const
const EVERY_KIND = [...LISTED_KINDS, 'methods'] as const
const ALLOWED: Verdict = { allowed: true, rule: undefined }

/** What one caller may see and use. Deny beats allow; the default decides about what no rule mentions. */
export class Permissions {
  readonly #rules: readonly RuleModel[]
  readonly #isAllowedByDefault: boolean
  /** Nothing is kept from this caller. */
  readonly isOpen: boolean
  /** Nothing is kept from anybody: all callers see the same. */
  readonly isCommon: boolean

  constructor({ rules, fallback }: PolicyModel, subject: Subject) {
    this.#rules = rules.flatMap((rule) => {
      if (concerns(rule, subject)) return [rule]
      return concerns(rule, subject, isLike) ? [{ ...rule, allow: [] }] : []
    })
    this.#isAllowedByDefault = fallback === 'allow'
    this.isOpen = this.#isAllowedByDefault && this.#rules.every(({ deny }) => deny.length === 0)
    this.isCommon = this.#isAllowedByDefault && rules.every(({ deny }) => deny.length === 0)
  }

  /** Whether it is in lists, announcements and completions for the caller. */
  maySee(object: PolicyObject): boolean {
    // Knowing of something and using it go together: what is denied does not exist for the caller.
    return this.mayCall(object)
  }

  /** Whether it can be called, read, completed or subscribed to. */
  mayCall(object: PolicyObject): boolean {
    return this.isOpen || this.verdict(object).allowed
  }

  /** The same with the rule that decided, for explanations. */
  verdict(object: PolicyObject): Verdict {
    let allowing: RuleModel | undefined
    for (const rule of this.#rules) {
      if (rule.deny.some((pattern) => forbids(pattern, object))) return { allowed: false, rule: rule.name }
      if (!allowing && rule.allow.some((pattern) => permits(pattern, object))) allowing = rule
    }
    if (allowing) return { allowed: true, rule: allowing.name }
    if (object.kind !== 'methods') return { allowed: this.#isAllowedByDefault, rule: undefined }
    // A method that nobody knows can do anything at its target, so it is for those who may do anything there.
    const mayAnything = LISTED_KINDS.every((kind) => this.mayCallAll(object.target, kind))
    return mayAnything ? ALLOWED : { allowed: false, rule: undefined }
  }

  /** Whether no rule keeps anything of that kind at a target from the caller. */
  mayCallAll(target: string, kind: ObjectKind): boolean {
    if (this.isOpen) return true
    const about = (pattern: ObjectPattern): boolean => isAbout(pattern, target, kind)
    if (this.#rules.some(({ deny }) => deny.some((one) => isAbout(one, target, kind, isLike)))) return false
    return (
      this.#isAllowedByDefault ||
      this.#rules.some(({ allow }) => allow.some((one) => about(one) && isAll(one)))
    )
  }

  /** Whether the caller could use anything at all of a target, or anything of a kind there. */
  mayCallSome(target: string, kind?: ObjectKind): boolean {
    if (this.isOpen) return true
    if (kind === undefined) return EVERY_KIND.some((one) => this.mayCallSome(target, one))
    const about = (pattern: ObjectPattern): boolean => isAbout(pattern, target, kind)
    const denied = this.#rules.flatMap(({ deny }) => deny.filter((one) => isAbout(one, target, kind, isLike)))
    const isLeft = ({ forms }: ObjectPattern): boolean =>
      !denied.some((pattern) => coversPattern(pattern.forms.loose, forms.loose))
    // Nothing lists a target's methods, so only a rule that names them shows that there are any.
    const isNamed = ({ kind: named }: ObjectPattern): boolean => kind !== 'methods' || named === kind
    if (this.#isAllowedByDefault && kind !== 'methods') return !denied.some(isAll)
    return this.#rules.some(({ allow }) => allow.some((one) => about(one) && isNamed(one) && isLeft(one)))
  }
}

function forbids(pattern: ObjectPattern, object: PolicyObject): boolean {
  if (!isAbout(pattern, object.target, object.kind, isLike)) return false
  if (object.kind === 'resources') return isAll(pattern) || forbidsUri(pattern.uri, readUri(object.name))
  return isAll(pattern) || forbidsName(pattern.forms, nameForms(object.name))
}

function permits(pattern: ObjectPattern, object: PolicyObject): boolean {
  if (!isAbout(pattern, object.target, object.kind)) return false
  if (object.kind === 'resources') return isAll(pattern) || permitsUri(pattern.uri, readUri(object.name))
  // Permission for everything that is listed says nothing about methods that are not.
  if (object.kind === 'methods' && pattern.kind === undefined) return false
  return isAll(pattern) || permitsName(pattern.forms, nameForms(object.name))
}

/** How a pattern and a name are compared: as they are written, or (`isLike`) so that no spelling escapes a rule. */
type Compare = (pattern: string, name: string) => boolean

function isLike(pattern: string, name: string): boolean {
  return matchesWildcard(pattern, name) || forbidsName(nameForms(pattern), nameForms(name))
}

function isAbout(
  { kind, target }: ObjectPattern,
  name: string,
  wanted: ObjectKind,
  matches: Compare = matchesWildcard,
): boolean {
  return (kind === undefined || kind === wanted) && matches(target, name)
}

function isAll({ name }: ObjectPattern): boolean {
  return /^\*+$/.test(name)
}

/** The sender of a request; without `auth` it came with no credentials. */
export interface Caller {
  readonly auth?: Subject
}

const EVERYTHING = new Permissions({ fallback: 'allow', rules: [] }, undefined)

/** What the caller of an exchange may see and use. */
export function permissionsOf(policy: PolicyModel, { auth }: Caller): Permissions {
  // Most gateways have no rules: their calls pay nothing.
  if (policy.rules.length === 0 && policy.fallback === 'allow') return EVERYTHING
  return new Permissions(policy, auth)
}

/** Who asks, as far as policy is concerned. Undefined: a caller without credentials. */
export type Subject = Pick<AuthInfo, 'principal' | 'scopes'> | undefined

/** Whether a rule is about this caller. What it denies holds for other spellings of the caller, too. */
export function concerns({ who }: RuleModel, subject: Subject, matches: Compare = matchesWildcard): boolean {
  if (who.principals.length + who.scopes.length + who.apiKeys.length === 0) return true
  if (!subject) return false
  return (
    names(who, subject.principal, matches) ||
    who.scopes.some((pattern) => subject.scopes.some((scope) => matches(pattern, scope)))
  )
}

function names(
  { principals, apiKeys }: WhoModel,
  { kind, issuer, subject }: Principal,
  matches: Compare,
): boolean {
  if (kind === 'key') return apiKeys.some((pattern) => matches(pattern, subject))
  return principals.some((one) => one.kind === kind && one.issuer === issuer && matches(one.subject, subject))
}
