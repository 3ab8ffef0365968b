import { waitsForApproval } from '../approval/answers.ts'
import { canonicalJson, type Failure, isJsonObject, lengthOf, type Outcome } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import type { AuditTrail, EventExtra, EventFacts, WaitingEvent } from '../../audit/index.ts'
import { NONE } from '../../audit/waiting-event.ts'
import { statusOf } from '../../telemetry/exchange-log.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { type Ending, factsOf } from './exchange-facts.ts'
import { LikeFacts } from './like-facts.ts'

/** A value as text without secrets, for records that hold bodies. */
export type Mask = (value: unknown) => string

/** Characters of a body that are kept. */
const MOST_BODY = 16 * 1024
/** Characters of arguments that the writing thread hashes. Longer ones would be copied for that. */
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
      stage: 'decision',
    } as const
    return this.#event(exchange, this.#like.find(exchange, ended), {})
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
      stage: 'outcome',
      error: failure?.error,
    })
    const result = this.#trail.settings.bodies ? resultText(outcome, this.#mask) : undefined
    return this.#event(exchange, facts, { approval: ruling?.approval, limit, result })
  }

  /** What went wrong is told in words of its own each time. */
  #factsOf(exchange: GatewayExchange, ended: Ending): EventFacts {
    return ended.error ? factsOf(exchange, ended) : this.#like.find(exchange, ended)
  }

  #event(exchange: GatewayExchange, facts: EventFacts, told: EventExtra): WaitingEvent {
    const given = exchange.origin.params.arguments
    const json = given === undefined ? undefined : canonicalJson(given)
    const isLong = json !== undefined && json.length > MOST_WAITING
    const body =
      json === undefined || !this.#trail.settings.bodies ? undefined : cutText(this.#mask(given), MOST_BODY)
    const extra =
      isLong || body !== undefined || hasAny(told)
        ? {
            ...told,
            body,
            hashed: isLong ? { length: json.length, hash: this.#trail.digest(json) } : undefined,
          }
        : undefined
    return new ExchangeEvent(exchange, facts, isLong ? undefined : json, extra)
  }
}

function hasAny({ approval, limit, result }: EventExtra): boolean {
  return approval !== undefined || limit !== undefined || result !== undefined
}

/** The event of a request: one object, as every call has one. */
class ExchangeEvent implements WaitingEvent {
  readonly facts: EventFacts
  readonly at = Date.now()
  readonly request: number
  readonly took: number
  readonly targetMs: number
  readonly bytes: number
  readonly args: string | undefined
  readonly extra: EventExtra | undefined

  constructor(
    { record }: GatewayExchange,
    facts: EventFacts,
    args: string | undefined,
    extra: EventExtra | undefined,
  ) {
    const ended = facts.stage === 'outcome' ? record : undefined
    this.facts = facts
    this.request = record?.id ?? NONE
    this.took = ended ? (ended.durationMs ?? performance.now() - ended.began) : NONE
    this.targetMs = ended?.targetMs ?? NONE
    this.bytes = ended?.bytes ?? NONE
    this.args = args
    this.extra = extra
  }

  get length(): number {
    const { detail = '' } = this.facts
    const { body = '', result = '' } = this.extra ?? {}
    return (this.args?.length ?? 0) + body.length + result.length + detail.length
  }
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
