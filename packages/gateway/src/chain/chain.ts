import { composeMiddleware, type Handle } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { AuditTrail } from '../audit/index.ts'
import type { GatewayModel } from '../model/index.ts'
import type { Relay } from '../relay/relay.ts'
import type { Log } from '../telemetry/log.ts'
import type { Store } from '../store/index.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import type { ExchangeLog } from '../telemetry/exchange-log.ts'
import { accountsLink } from './accounts/accounts-link.ts'
import type { Consent } from './accounts/consent.ts'
import { ownListsLink } from './accounts/own-lists-link.ts'
import { auditLink, decisionLink } from './audit/audit-link.ts'
import type { Mask } from './audit/exchange-events.ts'
import { GatewayExchange, type ExchangeEndpoint, type HandleGatewayExchange } from './gateway-exchange.ts'
import { type Admission, limitsLink } from './limits/admission.ts'
import type { LateRefusals } from './limits/late-refusals.ts'
import type { Link } from './link.ts'
import { listen, type ListenHost } from './listen/listen.ts'
import { ownAnswers } from './lists/own-answers.ts'
import { approvalLink, type ApprovalServices } from './approval/approval-link.ts'
import type { Approvals } from './approval/approvals.ts'
import { policyLink, type PolicyServices } from './policy/policy-link.ts'
import type { RuleCounts } from './policy/rule-counts.ts'
import { recorderLink } from './recorder/recorder-link.ts'
import { loopGuardLink } from './loop-guard/loop-guard-link.ts'
import type { KeptShares } from './long-results/kept-shares.ts'
import { longResultsLink } from './long-results/long-results-link.ts'
import type { ResultFindings } from './results/result-findings.ts'
import { resultsLink } from './results/results-link.ts'
import { resolveLink } from './resolve/resolver.ts'
import { type Scrubbing, secretsLink } from './secrets/secrets-link.ts'
import { viewLink } from './view/view-link.ts'
import type { RateCounts } from './rates/rate-counts.ts'
import { tracedWay, traceLink } from './trace/trace-link.ts'
import { retriesLink } from './retries/retries-link.ts'
import { ratesLink } from './rates/rates-link.ts'
import { tasksLink } from './tasks/tasks-link.ts'

/** The services that all endpoints share. */
export interface SharedServices extends Scrubbing {
  readonly info: Implementation
  readonly exchanges: ExchangeLog
  readonly log: Log
  /** Bounds the requests under way. */
  readonly admission: Admission
  /** Slows down callers that are refused again and again. */
  readonly refusals: LateRefusals
  /** What was counted against the rates of the configuration. */
  readonly rates: RateCounts
  /** How much of long results is kept for callers. */
  readonly shares: KeptShares
  /** Counts what rules took out of results. */
  readonly findings: ResultFindings
  /** Calls that wait for approval. */
  readonly approvals: Approvals
  /** How people connect their accounts at targets. */
  readonly consent: Consent
  /** Follows requests, where that is wanted. */
  readonly tracer: Tracer | undefined
  /** Undefined: nothing is recorded. */
  readonly audit: AuditTrail | undefined
  /** For records that hold bodies. */
  readonly mask: Mask
  /** Counts what each rule decided. */
  readonly rulings: RuleCounts
}

/** The services for the links of one endpoint. */
export interface ChainServices extends SharedServices, ListenHost, PolicyServices, ApprovalServices {
  readonly relay: Relay
  readonly store: Store
}

/** The links of a request to a target, from the caller on. One that has nothing to do is undefined. */
export function linksOf(
  services: ChainServices,
  model: GatewayModel,
  endpoint = '',
): Record<string, Link | undefined> {
  const results = resultsLink(model.results, services.findings)
  return {
    trace: traceLink(services.tracer),
    recorder: recorderLink(services.exchanges, services.log, services.refusals),
    limits: limitsLink(services.admission),
    audit: auditLink(services.audit, services.mask),
    longResults: longResultsLink(model.results, { ...services, endpoint }),
    ownLists: ownListsLink(model, services),
    resolve: resolveLink(services.resolver),
    view: viewLink(model.views.find(({ name }) => name === endpoint)),
    policy: policyLink(model, services),
    accounts: accountsLink(model, services.consent),
    approval: approvalLink(model, services),
    loopGuard: loopGuardLink(model.limits.repeatedErrors),
    rates: ratesLink(model.limits.rates, services.store, services.rates),
    decision: decisionLink(services.audit, services.mask),
    tasks: tasksLink(services.ownTasks, services.tasks, results),
    retries: retriesLink(model.limits.retries),
    results,
    secrets: secretsLink(services),
  }
}

/**
 * Compiles the links of an endpoint for a configuration. Requests that the endpoint answers itself pass no link that is
 * about targets. Subscriptions last as long as their client, so they do not count as requests under way.
 */
export function createChain(
  services: ChainServices,
  model: GatewayModel,
  endpoint: ExchangeEndpoint,
): Handle {
  const links = linksOf(services, model, endpoint.name)
  const { trace, recorder, limits, audit, ownLists, results, secrets } = links
  const listAudit = services.audit?.settings.lists ? audit : undefined
  const compose = services.tracer ? composeTraced : composeLinks
  const toTarget = compose(links, services.relay.handle)
  const own = new Map(
    Object.entries(ownAnswers(services, model)).map(([method, answer]) => [
      method,
      compose({ trace, recorder, limits, audit: listAudit, ownLists }, answer),
    ]),
  )
  own.set(
    'subscriptions/listen',
    compose({ trace, recorder, audit, results, secrets }, (exchange) => listen(exchange, services)),
  )
  return (origin) => {
    const exchange = new GatewayExchange(origin, endpoint)
    return (own.get(exchange.method) ?? toTarget)(exchange)
  }
}

type Links = Readonly<Record<string, Link | undefined>>

function composeLinks(links: Links, handle: HandleGatewayExchange): HandleGatewayExchange {
  const present = Object.values(links).filter((link) => link !== undefined)
  return composeMiddleware<GatewayExchange>(present, handle)
}

function composeTraced(links: Links, handle: HandleGatewayExchange): HandleGatewayExchange {
  const way = tracedWay(links, handle)
  return composeMiddleware<GatewayExchange>(way.links, way.handle)
}
