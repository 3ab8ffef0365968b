import { complete, INVALID_REQUEST, outlineOf, ProtocolError, type Outcome } from '@gantry/mcp/exchange'
import { describeApprover } from '../../model/index.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { messageOf, openNeeds, reasonOf, type Approval } from './approval.ts'

/** Says in the `_meta` of a result why a call was not made. */
const REFUSAL = 'dev.gantry/approval'

export type Refusal = 'pending' | 'denied' | 'expired' | 'policy' | 'crowded' | 'unconfirmed' | 'unaskable'

/** Models read the results of tools; everything else fails with an error. */
export function refuse({ method }: Pick<GatewayExchange, 'method'>, reason: Refusal, text: string): Outcome {
  if (method === 'tools/call') {
    return complete({
      content: [{ type: 'text', text }],
      isError: true,
      _meta: { [REFUSAL]: reason },
    })
  }
  throw new ProtocolError(INVALID_REQUEST, text, { reason: 'approval', approval: reason })
}

/** Whether a call was not made because its approval is missing so far. */
export function waitsForApproval(outcome: Outcome): boolean {
  const pending: Refusal = 'pending'
  if (outcome.type === 'error') return Object(outcome.error.data).approval === pending
  return outcome.type === 'complete' && Object(outlineOf(outcome)._meta)[REFUSAL] === pending
}

/** `group:leads or operator`; all of those whose decision is missing. */
export function approversOf(approval: Approval): string {
  return openNeeds(approval)
    .map(({ by }) => by.map(describeApprover).join(' or '))
    .join(', and of ')
}

/** Where people decide about one call. */
export function pageOf(address: string, { id }: Approval): string {
  return `${address}/console/approvals?id=${encodeURIComponent(id)}`
}

export function waitingText(approval: Approval): string {
  const minutes = Math.max(1, Math.ceil((approval.expiresAt - Date.now()) / 60_000))
  const own = messageOf(approval)
  return `${own === undefined ? '' : `${own} `}This call waits for the approval of ${approversOf(approval)}, for at most ${minutes} min.`
}

export function repeatText(approval: Approval, address: string): string {
  return `${waitingText(approval)} It was not made yet. It is decided at ${pageOf(address, approval)}, not here. Repeat the call with the same arguments after that.`
}

export function deniedText(approval: Approval): string {
  const reason = reasonOf(approval)
  const because = reason === undefined ? '' : ` The reason given is: ${reason}`
  return `This call was not made: the person who was asked for approval refused it.${because} Do not repeat it; do something else, or tell the user.`
}

export const EXPIRED =
  'This call was not made: nobody approved it in time. Repeat it to ask for approval once more, or tell the user.'
export const CHANGED =
  'This call was not made: the policy has changed while it waited for approval. Repeat it, and the new policy decides.'
export const CROWDED =
  'This call was not made: too many of your calls wait for approval already. Repeat it when some of them are decided.'
export const UNCONFIRMED = 'This call was not made: the user did not confirm it.'
export const UNASKABLE =
  'This call was not made: it has to be confirmed by the user, and this client cannot ask its user (it lacks the capability "elicitation").'
