import { waitsForApproval } from '../approval/answers.ts'
import { canonicalJson, type Failure, isJsonObject, lengthOf, type Outcome } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import type { AuditTrail, EventFacts, WaitingEvent } from '../../audit/index.ts'
import { statusOf } from '../../telemetry/exchange-log.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { type Ending, factsOf } from './exchange-facts.ts'
import { LikeFacts } from './like-facts.ts'

/** A value as text without secrets, for records that hold bodies. */
export type Mask = (value: unknown) => string

/** Characters of a body that are kept. */
const MOST_BODY = 16 * 1024
/** Characters of arguments that wait for their hash. */
const MOST_WAITING = 2048
/** A longer result is not read for its record. */
const MOST_READ = 64 * 1024
const ENDED = { ok: 'success', error: 'failure', 'tool-error': 'failure', refused: 'failure' } as const

/** Makes the events of requests. */
export class ExchangeEvents {
  readonly #trail: AuditTrail
  readonly #mask: Mask
  readonly #like = new LikeFacts()

  constructor(trail: AuditTrail, mask: Mask) {
    this.#trail = trail
    this.#mask = mask
  }

  /** Allowed, and about to be made. */
  decided(exchange: GatewayExchange): WaitingEvent {
    const ended = {
      decision: 'allowed',
      rule: exchange.ruling?.rule,
      status: 'success',
      outcome: 'allowed',
    } as const
    return this.#event(exchange, this.#like.find(exchange, ended), 'decision')
  }

  /** How it ended, and how it was decided. */
  ended(exchange: GatewayExchange, outcome: Outcome): WaitingEvent {
    const { record, ruling } = exchange
    const status = record && record.status !== 'running' ? record.status : statusOf(outcome, exchange)
    const failure = outcome.type === 'error' ? outcome : undefined
    const limit = failure && limitIn(failure)
    const denial = failure || ruling?.allowed === false ? denialOf(exchange, limit) : undefined
    const facts = this.#factsOf(exchange, {
      decision: denial ? 'denied' : 'allowed',
      rule: denial?.rule ?? ruling?.rule,
      status: (ENDED as Record<string, EventFacts['status']>)[status] ?? 'other',
      outcome: !denial ? status : waitsForApproval(outcome) ? 'waiting' : 'denied',
      error: failure?.error,
    })
    const event = this.#event(exchange, facts, 'outcome')
    event.approval = ruling?.approval
    event.limit = limit
    if (this.#trail.settings.bodies) event.result = resultText(outcome, this.#mask)
    return event
  }

  /** What went wrong is told in words of its own each time. */
  #factsOf(exchange: GatewayExchange, ended: Ending): EventFacts {
    return ended.error ? factsOf(exchange, ended) : this.#like.find(exchange, ended)
  }

  #event(exchange: GatewayExchange, facts: EventFacts, stage: Stage): ExchangeEvent {
    const event = new ExchangeEvent(exchange, facts, stage, this.#trail)
    const given = exchange.origin.params.arguments
    if (given === undefined) return event
    event.setArguments(canonicalJson(given))
    if (this.#trail.settings.bodies)
      event.body = `"arguments":${JSON.stringify(cutText(this.#mask(given), MOST_BODY))},`
    return event
  }
}

type Stage = 'decision' | 'outcome'

/** The event of a request: one object, as every call has one. */
class ExchangeEvent implements WaitingEvent {
  readonly facts: EventFacts
  readonly at = Date.now()
  readonly request: number | undefined
  approval: string | undefined
  limit: string | undefined
  result: string | undefined
  /** The arguments, where they are told. */
  body: string | undefined
  readonly #trail: AuditTrail
  readonly #stage: Stage
  readonly #view: string
  readonly #took: number | undefined
  readonly #targetMs: number | undefined
  readonly #bytes: number | undefined
  /** The arguments until they are hashed. */
  #args: string | undefined
  #hash: string | undefined

  constructor(exchange: GatewayExchange, facts: EventFacts, stage: Stage, trail: AuditTrail) {
    const record = stage === 'outcome' ? exchange.record : undefined
    this.facts = facts
    this.request = exchange.record?.id
    this.#trail = trail
    this.#stage = stage
    this.#view = exchange.endpoint.name
    this.#took = record && (record.durationMs ?? performance.now() - record.began)
    this.#targetMs = record?.targetMs
    this.#bytes = record?.bytes
  }

  /**
   * Arguments are hashed together with those of other requests, which is cheaper. Long arguments are hashed at once.
   */
  setArguments(json: string): void {
    this.#args = json
    if (json.length > MOST_WAITING) this.#hashArguments()
  }

  get length(): number {
    const { detail = '' } = this.facts
    const { body = '', result = '' } = this
    return (this.#args?.length ?? 0) + body.length + result.length + detail.length
  }

  #hashArguments(): string {
    const json = this.#args!
    this.#hash ??= `"arguments_bytes":${json.length},"arguments_hash":"${this.#trail.digest(json)}",`
    this.#args = ''
    return this.#hash
  }

  /** Written at once, in the order of RFC 8785: a test compares it with the canonical form. */
  unmapped(): string {
    const { approval, limit, result, body = '' } = this
    return (
      (approval === undefined ? '{' : `{"approval":${JSON.stringify(approval)},`) +
      (this.#args === undefined ? '' : body + this.#hashArguments()) +
      (this.#took === undefined ? '' : `"duration_ms":${hundredths(this.#took)},`) +
      (limit === undefined ? '' : `"limit":${JSON.stringify(limit)},`) +
      `"outcome":"${this.facts.outcome}",` +
      (result === undefined ? '' : `"result":${JSON.stringify(result)},`) +
      (this.#bytes === undefined ? '' : `"result_bytes":${this.#bytes},`) +
      `"stage":"${this.#stage}"` +
      (this.#targetMs === undefined ? '' : `,"target_ms":${hundredths(this.#targetMs)}`) +
      (this.#view === '' ? '}' : `,"view":${JSON.stringify(this.#view)}}`)
    )
  }
}

/** Milliseconds as JSON, with two digits behind the point at most. Two small numbers are written faster than one fraction. */
export function hundredths(milliseconds: number): string {
  const all = Math.round(milliseconds * 100)
  const whole = Math.floor(all / 100)
  const rest = all - whole * 100
  if (rest === 0) return `${whole}`
  return rest % 10 === 0 ? `${whole}.${rest / 10}` : `${whole}.${rest < 10 ? '0' : ''}${rest}`
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

/** What refused the request: a rule or a limit. For the resolver, an object that policy hides does not exist. */
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
