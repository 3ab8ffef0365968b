import {
  canonicalJson,
  type AuthInfo,
  type Failure,
  isJsonObject,
  lengthOf,
  type Outcome,
} from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import type { AuditActor, AuditEvent, AuditTrail } from '../../audit/index.ts'
import { ClientTag, statusOf } from '../../telemetry/exchange-log.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'

/** A value as text without secrets, for records that hold bodies. */
export type Mask = (value: unknown) => string

/** Characters of a body that are kept. */
const MOST_BODY = 16 * 1024
/** Characters of arguments that wait for their hash. */
const MOST_WAITING = 2048
/** A longer result is not read for its record. */
const MOST_READ = 64 * 1024
const READS = /^(?:resources|prompts|completion|skills|server|tools\/list|tasks\/get)/
const ENDED = { ok: 'success', error: 'failure', 'tool-error': 'failure', refused: 'failure' } as const
const KINDS = { tools: 'tool', prompts: 'prompt', resources: 'resource', methods: 'method' } as const

/** Allowed, and about to be made. */
export function decisionEvent(exchange: GatewayExchange, trail: AuditTrail, mask: Mask): AuditEvent {
  return eventOf(exchange, trail, mask, {
    decision: 'allowed',
    rule: exchange.ruling?.rule,
    status: 'success',
    outcome: 'allowed',
    stage: 'decision',
  })
}

/** How it ended, and how it was decided. */
export function outcomeEvent(
  exchange: GatewayExchange,
  outcome: Outcome,
  trail: AuditTrail,
  mask: Mask,
): AuditEvent {
  const { record, ruling } = exchange
  const status = statusOf(outcome, exchange)
  const failure = outcome.type === 'error' ? outcome : undefined
  const limit = failure && limitIn(failure)
  const denial = failure || ruling?.allowed === false ? denialOf(exchange, limit) : undefined
  return eventOf(exchange, trail, mask, {
    decision: denial ? 'denied' : 'allowed',
    rule: denial?.rule ?? ruling?.rule,
    status: (ENDED as Record<string, AuditEvent['status']>)[status] ?? 'other',
    outcome: denial ? 'denied' : status,
    error: failure?.error,
    stage: 'outcome',
    approval: ruling?.approval,
    took: record ? performance.now() - record.began : undefined,
    limit,
    result: trail.settings.bodies ? resultText(outcome, mask) : undefined,
    bytes: record?.bytes,
    targetMs: record?.targetMs,
  })
}

/** What a record says of one moment of a request. */
interface Moment extends Pick<AuditEvent, 'decision' | 'rule' | 'status' | 'outcome'> {
  readonly stage: 'decision' | 'outcome'
  readonly error?: Failure['error'] | undefined
  readonly approval?: string | undefined
  readonly took?: number | undefined
  readonly limit?: string | undefined
  readonly result?: string | undefined
  readonly bytes?: number | undefined
  readonly targetMs?: number | undefined
}

/** One object with all members at once: every call has an event. */
function eventOf(exchange: GatewayExchange, trail: AuditTrail, mask: Mask, moment: Moment): AuditEvent {
  const { method, resolved, record, client } = exchange
  const { name, uri } = exchange.origin.params
  const named = name ?? uri
  const kind = resolved ? KINDS[resolved.kind] : method.startsWith('resources/') ? 'resource' : 'name'
  const object = resolved ? resolved.name : typeof named === 'string' ? named : undefined
  return {
    at: Date.now(),
    operation: method,
    activity: READS.test(method) ? 'read' : 'other',
    actor: actorOf(exchange),
    decision: moment.decision,
    rule: moment.rule,
    status: moment.status,
    outcome: moment.outcome,
    code: moment.error?.code,
    detail: moment.error?.message,
    target: resolved?.target.name,
    object: object === undefined ? undefined : { type: kind, name: object },
    request: record?.id,
    revision: client.version,
    more: moreOf(exchange, trail, mask, moment),
  }
}

/** Arguments wait for the hashes of others, which are cheaper together. Longer ones are not kept for that. */
function moreOf(
  exchange: GatewayExchange,
  trail: AuditTrail,
  mask: Mask,
  moment: Moment,
): string | (() => string) {
  const given = exchange.origin.params.arguments
  const view = exchange.endpoint.name
  if (given === undefined) return moreText('', view, moment)
  const json = canonicalJson(given)
  const body = trail.settings.bodies ? `"arguments":${JSON.stringify(cutText(mask(given), MOST_BODY))},` : ''
  const text = (): string =>
    moreText(
      `${body}"arguments_bytes":${json.length},"arguments_hash":"${trail.digest(json)}",`,
      view,
      moment,
    )
  return body === '' && json.length <= MOST_WAITING ? text : text()
}

/** Written at once, in the order of RFC 8785: a test compares it with the canonical form. */
function moreText(args: string, view: string, moment: Moment): string {
  const { approval, limit, result, bytes, outcome, stage } = moment
  const took = hundredths(moment.took)
  const targetMs = hundredths(moment.targetMs)
  return (
    (approval === undefined ? '{' : `{"approval":${JSON.stringify(approval)},`) +
    args +
    (took === undefined ? '' : `"duration_ms":${took},`) +
    (limit === undefined ? '' : `"limit":${JSON.stringify(limit)},`) +
    `"outcome":"${outcome}",` +
    (result === undefined ? '' : `"result":${JSON.stringify(result)},`) +
    (bytes === undefined ? '' : `"result_bytes":${bytes},`) +
    `"stage":"${stage}"` +
    (targetMs === undefined ? '' : `,"target_ms":${targetMs}`) +
    (view === '' ? '}' : `,"view":${JSON.stringify(view)}}`)
  )
}

function hundredths(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 100) / 100
}

export function actorOf(exchange: GatewayExchange): AuditActor {
  const { auth, client, session, peer } = exchange
  const isConsole = ClientTag.of(exchange.serverContext) !== undefined
  return {
    principal: auth?.principal,
    invokedBy: auth && actingParty(auth),
    client: client.info,
    clientId: auth?.clientId,
    session,
    from: peer ?? (isConsole ? 'console' : exchange.headers ? 'http' : 'stdio'),
  }
}

/** Who uses the token of another (RFC 8693, section 4.1). */
function actingParty({ claims }: AuthInfo): string | undefined {
  const { act } = claims
  return isJsonObject(act) && typeof act.sub === 'string' ? act.sub : undefined
}

function resultText(outcome: Outcome, mask: Mask): string | undefined {
  if (outcome.type === 'error') return cutText(mask(outcome.error), MOST_BODY)
  if (outcome.type !== 'complete' || (lengthOf(outcome) ?? 0) > MOST_READ) return undefined
  return cutText(mask(outcome.result), MOST_BODY)
}

/** The limit that refused it. */
function limitIn({ error: { data } }: Failure): string | undefined {
  return isJsonObject(data) && typeof data.limit === 'string' ? data.limit : undefined
}

interface Denial {
  readonly rule: string | undefined
}

/** Who refused it: a rule or a limit. What policy hides looks to the resolver as if it were not there. */
function denialOf(exchange: GatewayExchange, limit: string | undefined): Denial | undefined {
  const { ruling, resolved, method } = exchange
  if (limit !== undefined) return { rule: ruling?.rule }
  if (ruling) return ruling.allowed ? undefined : ruling
  if (resolved) return undefined
  const { name } = exchange.origin.params
  if (typeof name !== 'string') return undefined
  const kind = method === 'tools/call' ? 'tools' : method === 'prompts/get' ? 'prompts' : undefined
  const verdict = kind && exchange.visible.hidden(kind, name)
  return verdict && { rule: verdict.rule }
}
