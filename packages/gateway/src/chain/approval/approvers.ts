import { principalKey } from '@gantry/mcp/exchange'
import type { ApproverPattern } from '../../model/index.ts'
import { KnownCaller, type Subject } from '../../rules/facts.ts'
import type { Approval, ApprovalNeed } from './approval.ts'
import { openNeeds } from './approval.ts'

/** Who decides about a call. */
export interface Approver {
  /** For people: what the log and the console say. */
  readonly name: string
  /** Undefined: the holder of the console's token. */
  readonly subject: Subject
  /** Whether it may administer the gateway. */
  readonly isOperator: boolean
}

/** The needs of an approval that this approver can meet. */
export function needsFor(approval: Approval, approver: Approver): ApprovalNeed[] {
  if (isOwnCall(approval, approver)) return []
  return openNeeds(approval).filter(({ by }) => by.some((pattern) => isOne(pattern, approver)))
}

/** A caller never approves its own call, whatever group it is in. */
export function isOwnCall({ principal }: Approval, { subject }: Approver): boolean {
  return (
    principal !== undefined &&
    subject !== undefined &&
    principalKey(principal) === principalKey(subject.principal)
  )
}

/** Names are compared as they are written: an approver is let in, not kept out. */
function isOne(pattern: ApproverPattern, { subject, isOperator }: Approver): boolean {
  if (pattern.kind === 'operator') return isOperator
  if (!subject) return false
  const { principal, scopes } = subject
  switch (pattern.kind) {
    case 'group':
      return new KnownCaller({ auth: subject }).groups.includes(pattern.name)
    case 'scope':
      return scopes.includes(pattern.name)
    case 'key':
      return principal.kind === 'key' && principal.subject === pattern.name
    default:
      return (
        principal.kind === pattern.kind &&
        principal.issuer === pattern.issuer &&
        principal.subject === pattern.name
      )
  }
}
