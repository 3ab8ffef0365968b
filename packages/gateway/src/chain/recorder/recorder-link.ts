import {
  callerKey,
  type InputRequests,
  type InputResponses,
  type Outcome,
  describePrincipal,
  INTERNAL_ERROR,
  ProtocolError,
  type Failure,
} from '@gantry/mcp/exchange'
import { toFailure } from '../to-failure.ts'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import type { ExchangeLog } from '../../telemetry/exchange-log.ts'
import { limitedLog, type Log, type LogLimit } from '../../telemetry/log.ts'
import type { Ask, GatewayExchange } from '../gateway-exchange.ts'
import type { LateRefusals } from '../limits/late-refusals.ts'
import type { Link } from '../link.ts'
import { TargetError } from '../../targets/target-error.ts'

/** A caller that asks too often must not push the failures of others out of the log. */
const REFUSALS: LogLimit = { lines: 5, period: 10_000 }

/** Counts and records every request, shows it to watchers, and makes an outcome of every thrown error. */
export function recorderLink(exchanges: ExchangeLog, log: Log, late: LateRefusals): Link {
  const refusals = limitedLog(log, REFUSALS)
  return async (exchange, next) => {
    const record = exchanges.begin(exchange)
    exchange.record = record
    exchange.askThrough(
      (ask) => (requests, signal) => exchanges.waiting.during(record, requests, ask(requests, signal)),
    )
    if (exchanges.watched && record.keeps) watch(exchange, record, exchanges)
    let outcome: Outcome
    try {
      outcome = await next()
    } catch (thrown) {
      outcome = toFailure(thrown)
    }
    // A target that has never been there has no names by which a request could be resolved.
    if (outcome.type === 'error' && outcome.cause instanceof TargetError)
      record.target ??= outcome.cause.target
    exchanges.settle(record, outcome, exchange)
    record.isOurs = isOurs(record, outcome)
    exchange.tellEnded(outcome)
    exchanges.end(record, outcome, exchange)
    if (exchange.isOverspent) tellOverspent(log, record, exchange.trace?.traceId)
    if (outcome.type === 'error') {
      logFailure(record.isForLoad ? refusals : log, record, outcome, exchange.trace?.traceId)
      // Everything has ended: what waits here takes no place from others.
      if (record.isForLoad) await late.hold(callerKey(exchange), exchange.cancellation)
    }
    return outcome
  }
}

/** Whether the gateway itself (policy, a limit) refused the request, so that its target was not asked. */
function isOurs({ status, targetMs }: ExchangeRecord, outcome: Outcome): boolean {
  if ((status !== 'error' && status !== 'tool-error') || targetMs !== undefined) return false
  return outcome.type !== 'error' || !(outcome.cause instanceof TargetError)
}

/** Notifications and live questions to the caller are recorded as well. */
function watch(exchange: GatewayExchange, record: ExchangeRecord, exchanges: ExchangeLog): void {
  exchange.hear((message) => {
    exchanges.add(record, { hop: 'client', direction: 'out', message })
    return message
  })
  exchange.askThrough((ask) => (requests, signal) => asked(ask, requests, signal, record, exchanges))
}

/** Legacy clients are asked while the call runs; each question is a request of its own there. */
async function asked(
  ask: Ask,
  requests: InputRequests,
  signal: AbortSignal | undefined,
  record: ExchangeRecord,
  exchanges: ExchangeLog,
): Promise<InputResponses> {
  for (const request of Object.values(requests)) {
    const note = `a question of the target → \`${request.method}\` to the client`
    exchanges.add(record, { hop: 'client', direction: 'out', message: request, note })
  }
  const answers = await ask(requests, signal).catch((thrown: unknown) => {
    const message = toFailure(thrown)
    exchanges.add(record, { hop: 'client', direction: 'in', message, note: 'the question was refused' })
    throw thrown
  })
  for (const answer of Object.values(answers)) {
    exchanges.add(record, { hop: 'client', direction: 'in', message: { result: answer } })
  }
  return answers
}

/** Rules, views and limits work all together, so the line stands here and not where the last of them ended. */
function tellOverspent(log: Log, { target, id, method, name, client }: ExchangeRecord, trace?: string): void {
  log(
    'warn',
    'The conditions and expressions for a request take too long together, so what was left denies',
    {
      target,
      exchange: id,
      trace,
      method,
      name,
      principal: client.principal && describePrincipal(client.principal),
      event: 'expressions-too-long',
    },
  )
}

/** One line for a request that failed: what was asked, of whom, by whom, and why it failed in full. */
function logFailure(log: Log, record: ExchangeRecord, outcome: Failure, trace?: string): void {
  if (record.status === 'cancelled') return
  const { error, cause } = outcome
  const { principal } = record.client
  // An error that a target answers itself, or that the caller made, needs no operator.
  const isOurs = error.code === INTERNAL_ERROR || !(cause === undefined || cause instanceof ProtocolError)
  log(isOurs ? 'warn' : 'info', `${record.method} failed`, {
    target: record.target ?? (cause instanceof TargetError ? cause.target : undefined),
    exchange: record.id,
    trace,
    method: record.method,
    name: record.name,
    principal: principal && describePrincipal(principal),
    client: record.client.name,
    code: error.code,
    reason: cause instanceof TargetError ? cause.reason : undefined,
    detail: record.error,
    milliseconds: record.durationMs,
    ...(isOurs && { event: 'request-failed' }),
  })
}
