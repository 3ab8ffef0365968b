import { describePrincipal } from '@gantry/mcp/exchange'
import type { Approval } from '../../chain/approval/approval.ts'
import type { NotDecided } from '../../chain/approval/approvals.ts'
import { type Approver, isOwnCall, needsFor } from '../../chain/approval/approvers.ts'
import { describeApprover } from '../../model/index.ts'
import type { AdminHost } from '../admin-host.ts'
import { isAtLeast } from '../contract.ts'
import { ApiError } from '../api-error.ts'
import type { ApprovalReport } from '../contract.ts'
import type { Caller, Handlers } from '../handlers.ts'

type ApprovalHandlers = Pick<Handlers, 'approvals' | 'approval' | 'decideApproval'>

/** Calls that wait for approval. Administrators see all of them, and approvers the calls that they may decide. */
export function approvalHandlers({ gateway }: AdminHost): ApprovalHandlers {
  const { approvals } = gateway
  const visible = async (caller: Caller): Promise<Approval[]> => {
    const approver = approverOf(caller)
    const all = await approvals.list()
    return approver.isOperator ? all : all.filter((one) => needsFor(one, approver).length > 0)
  }
  return {
    approvals: async ({ caller }) => {
      const list = await visible(caller)
      return { approvals: list.map((one) => presentApproval(one, approverOf(caller))) }
    },
    approval: async ({ params, caller }) => {
      const found = (await visible(caller)).find(({ id }) => id === params.id)
      if (!found) throw notDecided('gone')
      return presentApproval(found, approverOf(caller))
    },
    decideApproval: async ({ params, body, caller }) => {
      const approver = approverOf(caller)
      const decided = await approvals.decide(params.id, body, approver)
      if (typeof decided === 'string') throw notDecided(decided)
      return presentApproval(decided, approver)
    },
  }
}

/** Commands on this machine, and the holder of the console's token, administer the gateway. */
function approverOf({ principal, auth, role }: Caller): Approver {
  return { name: principal, subject: auth, isOperator: isAtLeast(role, 'operator') }
}

const REASONS: Readonly<
  Record<NotDecided, readonly [ConstructorParameters<typeof ApiError>[0], string, string?]>
> = {
  gone: [
    'not_found',
    'No call of this id waits for approval',
    'It may have been made or withdrawn, or its time is over.',
  ],
  own: ['forbidden', 'This is your own call', 'Another person has to decide it.'],
  'not-approver': ['forbidden', 'The rule names others who may decide this'],
  decided: ['conflict', 'It was decided before'],
  policy: ['conflict', 'The policy has changed since', 'The caller has to repeat the call.'],
}

export function notDecided(reason: NotDecided): ApiError {
  const [code, message, fix] = REASONS[reason]
  return new ApiError(code, message, { fix })
}

export function presentApproval(approval: Approval, approver: Approver): ApprovalReport {
  const { id, state, askedAt, expiresAt, principal, client, view, target, kind, name, args, needs } = approval
  return {
    id,
    state,
    askedAt,
    expiresAt,
    ...(principal && { caller: describePrincipal(principal) }),
    ...(client !== undefined && { client }),
    ...(view !== '' && { view }),
    target,
    kind,
    name,
    ...(args && { args }),
    needs: needs.map(({ rule, by, message, decision }) => ({
      rule,
      by: by.map(describeApprover),
      ...(message !== undefined && { message }),
      ...(decision && {
        decision: {
          approved: decision.approved,
          by: decision.by,
          at: decision.at,
          ...(decision.reason !== undefined && { reason: decision.reason }),
        },
      }),
    })),
    mayDecide: state === 'pending' && needsFor(approval, approver).length > 0,
    isOwn: isOwnCall(approval, approver),
  }
}
