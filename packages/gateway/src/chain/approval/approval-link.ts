import { INVALID_PARAMS, ProtocolError, type InputRequired, type Outcome } from '@gantry/mcp/exchange'
import { declaresTasks } from '@gantry/mcp/extensions/tasks'
import type { GatewayModel, RuleModel } from '../../model/index.ts'
import { asksFirst } from '../../rules/rule-index.ts'
import type { Store } from '../../store/index.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { shownArguments } from '../results/shown-arguments.ts'
import { approvalId, type Approval } from './approval.ts'
import type { Approvals } from './approvals.ts'
import * as say from './answers.ts'
import { argsOf, callId, policyVersion } from './call-id.ts'
import { answerTo, APPROVE_KEY, canConfirm, confirmation, CONFIRM_KEY, isConfirmed } from './confirm.ts'
import { ParkedCalls, type ParkedCallsHost } from './parked-calls.ts'
import { paramsBehind, Rounds, type Round } from './rounds.ts'
import { isOverLimit } from '../rates/over-limit.ts'
import { toFailure } from '../to-failure.ts'
import { decisionOf } from './wait.ts'

type Next = Parameters<Link>[1]

export interface ApprovalServices extends ParkedCallsHost {
  readonly store: Store
  readonly approvals: Approvals
}

/**
 * Holds calls until another person has approved them, or their caller has confirmed them. It comes after policy, which
 * decides what has to wait, and before the links that count or make the call.
 */
export function approvalLink(model: GatewayModel, services: ApprovalServices): Link | undefined {
  if (!model.policy.rules.some(asksFirst)) return undefined
  const held = new CallsToApprove(model, services)
  return async (given, next) => {
    const exchange = given as ResolvedExchange
    if (held.parked.owns(exchange)) return held.parked.handle(exchange)
    return exchange.holds ? held.handle(exchange, exchange.holds, next) : next()
  }
}

/** One call on its way through the rules that hold it. */
interface Held {
  readonly exchange: ResolvedExchange
  readonly rules: readonly RuleModel[]
  readonly id: string
  /** The approval that it uses up. */
  taken?: Approval
}

/** What is recorded: the call waits, was refused, or was allowed. */
function ruled<T extends Outcome | undefined>({ exchange, id }: Held, outcome?: T): T {
  const isRefused = outcome?.type === 'error' || outcome?.type === 'complete'
  exchange.ruling = { allowed: !isRefused, rule: exchange.ruling?.rule, approval: id }
  return outcome as T
}

class CallsToApprove {
  readonly parked: ParkedCalls
  readonly #model: GatewayModel
  readonly #approvals: Approvals
  readonly #rounds: Rounds

  constructor(model: GatewayModel, services: ApprovalServices) {
    this.#model = model
    this.#approvals = services.approvals
    this.#rounds = new Rounds(services.store)
    this.parked = new ParkedCalls(services)
  }

  async handle(exchange: ResolvedExchange, rules: readonly RuleModel[], next: Next): Promise<Outcome> {
    // Approvers see arguments only when they are an object. Some servers also take a text or a list, which nobody could
    // check.
    if (!argsOf(exchange)) {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "arguments" must be an object')
    }
    const call: Held = { exchange, rules, id: callId(exchange, policyVersion(this.#model.policy)) }
    const { params } = exchange
    const round = await this.#rounds.take(params, call.id)
    const isGranted = this.parked.isGranted(exchange, call.id)
    const mustConfirm = !isGranted && !round?.confirmed && rules.some(({ confirm }) => confirm)
    const unconfirmed = mustConfirm ? await this.#confirm(call, round) : undefined
    if (unconfirmed) return ruled(call, unconfirmed)
    const mustWait = !isGranted && !round?.approved && rules.some(({ approve }) => approve)
    const unapproved = mustWait ? await this.#approve(call) : undefined
    if (unapproved) return ruled(call, unapproved)
    ruled(call)
    exchange.params = paramsBehind(paramsBehind(params, round, CONFIRM_KEY), undefined, APPROVE_KEY)
    return this.#keep(await this.#make(next, call), call)
  }

  /** A call that a limit refuses was not made: it keeps its approval, and can be repeated. */
  async #make(next: Next, { taken }: Held): Promise<Outcome> {
    if (!taken) return next()
    const outcome = await next().catch(toFailure)
    if (isOverLimit(outcome)) await this.#approvals.giveBack(taken)
    return outcome
  }

  /** What the target asks belongs to this approved call, and to no other. */
  async #keep(outcome: Outcome, { id }: Held): Promise<Outcome> {
    if (outcome.type !== 'input_required') return outcome
    const round = { call: id, confirmed: true, approved: true, inner: outcome.requestState }
    return { ...outcome, requestState: await this.#rounds.keep(round) }
  }

  /** Returns undefined when the caller has confirmed. */
  async #confirm({ exchange, rules, id }: Held, round: Round | undefined): Promise<Outcome | undefined> {
    const answer = round && answerTo(exchange.params, CONFIRM_KEY)
    if (answer) {
      return isConfirmed(answer) ? undefined : say.refuse(exchange, 'unconfirmed', say.UNCONFIRMED)
    }
    if (!canConfirm(exchange)) return say.refuse(exchange, 'unaskable', say.UNASKABLE)
    const requestState = await this.#rounds.keep({ call: id, confirmed: false, approved: false })
    return { ...confirmation(exchange, rules), requestState }
  }

  /** Returns undefined when another person has approved. The approval is then used up. */
  async #approve(call: Held): Promise<Outcome | undefined> {
    const { exchange } = call
    const request = { exchange: exchange.record?.id, trace: exchange.trace?.traceId }
    // An approval that another call has used up in the meantime is asked for anew.
    for (;;) {
      const approval = await this.#approvals.ask(newApproval(call, this.#model), request)
      if (!approval) return say.refuse(exchange, 'crowded', say.CROWDED)
      if (approval.state === 'pending') {
        const later = await this.#later(approval, call)
        if (later) return later
      }
      const decided =
        approval.state === 'pending' ? await decisionOf(approval, exchange, this.#approvals) : approval
      if (decided?.state === 'denied') return say.refuse(exchange, 'denied', say.deniedText(decided))
      const taken = decided && (await this.#approvals.take(decided.id))
      if (taken) {
        call.taken = taken
        return undefined
      }
      if (this.#approvals.isVoid(approval)) return say.refuse(exchange, 'policy', say.CHANGED)
      if (!decided && approval.expiresAt <= Date.now()) return say.refuse(exchange, 'expired', say.EXPIRED)
    }
  }

  /** How a caller that does not wait here gets to know the decision; undefined: it waits. */
  async #later(approval: Approval, { exchange, id }: Held): Promise<Outcome | undefined> {
    const { client, method, params, session } = exchange
    // Clients with a session of their own know no other way than to wait.
    if (session !== undefined || exchange.ask) return undefined
    if (declaresTasks(client) && method === 'tools/call') return this.parked.park(exchange, approval)
    const answer = answerTo(params, APPROVE_KEY)
    if (answer?.action === 'accept') return undefined
    if (!answer && client.capabilities.elicitation?.url && ASKABLE.has(method)) {
      const requestState = await this.#rounds.keep({ call: id, confirmed: true, approved: false })
      return { ...this.#invitation(approval), requestState }
    }
    return say.refuse(exchange, 'pending', say.repeatText(approval, this.#approvals.address))
  }

  #invitation(approval: Approval): InputRequired {
    const { id } = approval
    const params = {
      mode: 'url',
      message: say.waitingText(approval),
      url: say.pageOf(this.#approvals.address, approval),
      elicitationId: id,
    }
    return {
      type: 'input_required',
      inputRequests: { [APPROVE_KEY]: { method: 'elicitation/create', params } },
    }
  }
}

/** Requests whose answer may be a question (2026-07-28, Multi Round-Trip Requests). */
const ASKABLE: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

function newApproval({ exchange, rules, id }: Held, model: GatewayModel): Approval {
  const { auth, client, endpoint, resolved } = exchange
  const needs = rules.flatMap(({ name, approve }) =>
    approve ? [{ rule: name, by: approve.by, message: approve.message, decision: undefined }] : [],
  )
  const within = Math.min(...rules.flatMap(({ approve }) => approve?.within ?? []))
  const askedAt = Date.now()
  return {
    id: approvalId(id),
    state: 'pending',
    askedAt,
    expiresAt: askedAt + within,
    within,
    principal: auth?.principal,
    client: client.info?.name,
    view: endpoint.name,
    target: resolved.target.name,
    kind: resolved.kind,
    name: resolved.name,
    args: shownArguments(argsOf(exchange), resolved, model.results),
    policy: policyVersion(model.policy),
    needs,
  }
}
