import { matchesWildcard, type RuleModel, type WhoModel } from '../model/index.ts'
import type { Principal } from '@gantry/mcp/exchange'
import type { Subject } from './facts.ts'
import { type Compare, isLike } from './rule-index.ts'

/**
 * Whether a rule is about a caller. `denies`: the rule only denies to this caller, whose name is spelled almost like
 * the name in the rule.
 */
export type Concern = 'fully' | 'denies' | 'not'

export function concernOf(rule: Pick<RuleModel, 'who'>, subject: Subject): Concern {
  if (concerns(rule, subject, matchesWildcard)) return 'fully'
  return concerns(rule, subject, isLike) ? 'denies' : 'not'
}

function concerns({ who }: Pick<RuleModel, 'who'>, subject: Subject, matches: Compare): boolean {
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
