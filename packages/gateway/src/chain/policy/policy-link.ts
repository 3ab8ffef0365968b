import { describePrincipal, type Notification, type ProtocolError } from '@gantry/mcp/exchange'
import type { GatewayModel } from '../../model/index.ts'
import type { PolicyCall } from '../../rules/facts.ts'
import { permissionsOf, toldMessage, type Verdict } from '../../rules/permissions.ts'
import { asksFirst } from '../../rules/rule-index.ts'
import { updatedUri } from '../../targets/listening/shared-listener.ts'
import type { Log } from '../../telemetry/log.ts'
import { refused } from '../absent.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import type { PermittedCalls } from './permitted-calls.ts'
import type { RuleCounts } from './rule-counts.ts'
import { permittedOutcome, showsResources } from './permitted-result.ts'
import { maySee, policyCall } from './policy-call.ts'

export interface PolicyServices {
  readonly log: Log
  readonly counts: PermittedCalls
  readonly rulings: RuleCounts
}

/**
 * Refuses a call that the caller may not make. Removes resources that the caller may not know of from the target's
 * answers and messages. Answers of the endpoint itself are made from what the caller may see.
 */
export function policyLink(model: GatewayModel, services: PolicyServices): Link | undefined {
  return isOpenToAll(model) ? undefined : (exchange, next) => decide(exchange, next, services)
}

/** Nobody is refused anything, nothing is tried out, and no target has resources that the configuration leaves out. */
function isOpenToAll({ policy, targets }: GatewayModel): boolean {
  const isSelecting = targets.some(({ resources }) => resources.include.length + resources.exclude.length > 0)
  return !isSelecting && !policy.trial && permissionsOf(policy, {}).isCommon && !policy.rules.some(asksFirst)
}

/** Only counters of calls are awaited: a further promise would cost half as much as most rules. */
function decide(...[exchange, next, services]: [...Parameters<Link>, PolicyServices]): ReturnType<Link> {
  const asked = exchange as ResolvedExchange
  const { visible, resolved } = asked
  const call = policyCall(asked, asked)
  if (!call && !maySee(asked, visible)) {
    exchange.ruling = { allowed: false, rule: undefined }
    const { kind, catalog, name } = resolved
    throw refused(exchange, visible.messageOfOwn(kind, catalog, name))
  }
  const windows = call ? visible.windows(resolved) : []
  if (call && windows.length > 0) return judgeByCount(asked, call, windows, services).then(goOn)
  if (call) judge(asked, call, visible.verdict(resolved, call), services)
  return goOn()

  function goOn(): ReturnType<Link> {
    if (!visible.isRestricted(resolved.catalog)) return next()
    exchange.hear(withoutDenied)
    return showsResources(asked)
      ? next().then((outcome) => asked.work.pay(() => permittedOutcome(outcome, asked)))
      : next()
  }
}

async function judgeByCount(
  exchange: ResolvedExchange,
  call: PolicyCall,
  windows: readonly number[],
  services: PolicyServices,
): Promise<void> {
  let made = call
  const verdict = await services.counts.decide(exchange, windows, (count) => {
    made = { args: call.args, now: call.now, work: call.work, count }
    return exchange.visible.verdict(exchange.resolved, made)
  })
  judge(exchange, made, verdict, services)
}

function judge(
  exchange: ResolvedExchange,
  made: PolicyCall,
  verdict: Verdict,
  { log, rulings }: PolicyServices,
): void {
  const { visible, resolved } = exchange
  exchange.ruling = verdict
  rulings.decided(verdict)
  if (!verdict.allowed) throw refusal(exchange, verdict, log)
  exchange.holds = verdict.holds
  const trial = visible.trial(resolved, made)
  if (trial && !trial.allowed) {
    rulings.wouldDeny(trial)
    tell(log, 'info', 'Policy would deny this if it were enforced', exchange, trial)
  } else if (trial?.holds && !verdict.holds) {
    tell(log, 'info', 'Policy would let this wait if it were enforced', exchange, trial)
  }
}

/** The message of the rule if it has one, else the same answer as for an object that does not exist. */
function refusal(exchange: ResolvedExchange, verdict: Verdict, log: Log): ProtocolError {
  // The recorder tells what all rules together could not decide.
  if (verdict.failure !== undefined && !exchange.isOverspent)
    tell(log, 'warn', 'A rule cannot be decided, so it denies', exchange, verdict)
  return refused(exchange, toldMessage(verdict))
}

function tell(
  log: Log,
  level: 'info' | 'warn',
  message: string,
  { method, auth, resolved, record, trace }: ResolvedExchange,
  { rule, failure }: Verdict,
): void {
  const { target, kind, name } = resolved
  log(level, message, {
    target: target.name,
    exchange: record?.id,
    method,
    kind,
    name,
    principal: auth && describePrincipal(auth.principal),
    rule: rule ?? 'the default',
    detail: failure,
    trace: trace?.traceId,
    ...(level === 'warn' && { event: 'rule-failed' }),
  })
}

function withoutDenied(
  notification: Notification,
  { visible, resolved }: GatewayExchange,
): Notification | undefined {
  const uri = updatedUri(notification)
  return uri === undefined || visible.maySee('resources', resolved!.catalog, uri) ? notification : undefined
}
