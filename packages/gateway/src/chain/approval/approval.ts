import { randomBytes } from 'node:crypto'
import type { JsonObject, Principal } from '@gantry/mcp/exchange'
import type { ApproverPattern, ObjectKind } from '../../model/index.ts'

const MARK_BYTES = 6

/** A call that waits for the approval of another person, as it is kept in the store. */
export interface Approval {
  /** That of the call, and a mark: a decision about a call does not count for the next one that is equal to it. */
  readonly id: string
  readonly state: 'pending' | 'approved' | 'denied'
  readonly askedAt: number
  /** Until when it can be decided; once it is approved, until when the call can be made. */
  readonly expiresAt: number
  /** How long each of the two lasts, in milliseconds. */
  readonly within: number
  /** Who wants to call; undefined: a caller without credentials. */
  readonly principal: Principal | undefined
  readonly client: string | undefined
  /** The name of the endpoint; empty for the common one. */
  readonly view: string
  readonly target: string
  readonly kind: ObjectKind
  /** The target's own name of it. */
  readonly name: string
  /** The arguments without what the rules for results mask; undefined when all of it is withheld. */
  readonly args: JsonObject | undefined
  /** Which policy wanted the approval. */
  readonly policy: string
  /** Every one has to be met. */
  readonly needs: readonly ApprovalNeed[]
}

/** What one rule wants. */
export interface ApprovalNeed {
  readonly rule: string
  readonly by: readonly ApproverPattern[]
  readonly message: string | undefined
  readonly decision: ApprovalDecision | undefined
}

export interface ApprovalDecision {
  readonly approved: boolean
  /** Who decided, for people. */
  readonly by: string
  readonly reason: string | undefined
  readonly at: number
}

/** Names one request for the approval of a call. */
export function approvalId(call: string): string {
  return `${call}-${randomBytes(MARK_BYTES).toString('hex')}`
}

/** The id of the call that an approval is for. */
export function callOf(id: string): string {
  return id.slice(0, id.lastIndexOf('-'))
}

/** What the caller is told of a decision. */
export function reasonOf({ needs }: Approval): string | undefined {
  return needs.find(({ decision }) => decision?.approved === false)?.decision?.reason
}

/** What approvers and callers are told about a rule that wants an approval. */
export function messageOf({ needs }: Approval): string | undefined {
  const messages = needs.flatMap(({ message }) => message ?? [])
  return messages.length > 0 ? messages.join(' ') : undefined
}

/** Whose decision is still missing. */
export function openNeeds({ needs }: Approval): ApprovalNeed[] {
  return needs.filter(({ decision }) => decision === undefined)
}
