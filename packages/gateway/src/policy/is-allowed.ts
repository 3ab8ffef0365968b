import type { AuthInfo, Principal } from '@gantry/mcp/exchange'
import {
  matchesWildcard,
  type ObjectKind,
  type PolicyModel,
  type RuleModel,
  type WhoModel,
} from '../model/index.ts'

/** Who asks, as far as policy is concerned. Undefined: a caller without credentials. */
export type Subject = Pick<AuthInfo, 'principal' | 'scopes'> | undefined

export interface Verdict {
  readonly allowed: boolean
  /** The rule that decided; undefined when the default did. */
  readonly rule: string | undefined
}

/** Deny beats allow; what no rule decides, the default does. */
export function isAllowed(
  policy: PolicyModel,
  subject: Subject,
  object: { kind: ObjectKind; target: string; name: string },
): Verdict {
  let allowing: RuleModel | undefined
  for (const rule of policy.rules) {
    if (!concerns(rule, subject)) continue
    if (rule.deny.some((pattern) => covers(pattern, object))) return { allowed: false, rule: rule.name }
    if (!allowing && rule.allow.some((pattern) => covers(pattern, object))) allowing = rule
  }
  if (allowing) return { allowed: true, rule: allowing.name }
  return { allowed: policy.fallback === 'allow', rule: undefined }
}

function concerns({ who }: RuleModel, subject: Subject): boolean {
  if (who.principals.length + who.scopes.length + who.apiKeys.length === 0) return true
  if (!subject) return false
  return (
    names(who, subject.principal) ||
    who.scopes.some((pattern) => subject.scopes.some((scope) => matchesWildcard(pattern, scope)))
  )
}

function names({ principals, apiKeys }: WhoModel, { kind, issuer, subject }: Principal): boolean {
  if (kind === 'key') return apiKeys.some((pattern) => matchesWildcard(pattern, subject))
  return principals.some(
    (one) => one.kind === kind && one.issuer === issuer && matchesWildcard(one.subject, subject),
  )
}

function covers(
  pattern: RuleModel['allow'][number],
  object: { kind: ObjectKind; target: string; name: string },
): boolean {
  return (
    (pattern.kind === undefined || pattern.kind === object.kind) &&
    matchesWildcard(pattern.target, object.target) &&
    matchesWildcard(pattern.name, object.name)
  )
}
