import type { AuthInfo, Principal } from '@gantry/mcp/exchange'
import { matchesWildcard, type RuleModel, type WhoModel } from '../../model/index.ts'

/** Who asks, as far as policy is concerned. Undefined: a caller without credentials. */
export type Subject = Pick<AuthInfo, 'principal' | 'scopes'> | undefined

/** Whether a rule is about this caller. */
export function concerns({ who }: RuleModel, subject: Subject): boolean {
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
