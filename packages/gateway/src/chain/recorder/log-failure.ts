import { describePrincipal, INTERNAL_ERROR, ProtocolError, type Failure } from '@gantry/mcp/exchange'
import { TargetError } from '../../targets/target-error.ts'
import { failureText, type ExchangeRecord } from '../../telemetry/wire-view.ts'
import type { Log } from '../../telemetry/log.ts'

/** One line for a request that failed: what was asked, of whom, by whom, and why it failed in full. */
export function logFailure(log: Log, record: ExchangeRecord, outcome: Failure): void {
  if (record.status === 'cancelled') return
  const { error, cause } = outcome
  const { principal } = record.client
  // An error that a target answers itself, or that is the caller's, is nobody's emergency.
  const isOurs = error.code === INTERNAL_ERROR || !(cause === undefined || cause instanceof ProtocolError)
  log(isOurs ? 'warn' : 'info', `${record.method} failed`, {
    target: record.target ?? (cause instanceof TargetError ? cause.target : undefined),
    exchange: record.id,
    method: record.method,
    name: record.name,
    principal: principal && describePrincipal(principal),
    client: record.client.name,
    code: error.code,
    reason: cause instanceof TargetError ? cause.reason : undefined,
    detail: failureText(outcome),
    milliseconds: record.durationMs,
  })
}
