import type { Outcome } from '@gantry/mcp/exchange'
import { TargetError } from '../../targets/target-error.ts'

/** `answered`: the server got the call and answered it, with whatever result. */
export type FailureKind = 'transport' | 'throttled' | 'authorization' | 'answered' | 'gateway'

const TRANSPORT: ReadonlySet<string> = new Set([
  'closed',
  'exited',
  'network',
  'session_lost',
  'not_connected',
  'stalled',
  'timeout',
])
const AUTHORIZATION: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'oauth'])
const AWAY: ReadonlySet<number | undefined> = new Set([502, 503, 504])
const TOO_MANY = 429

/** Why a call failed: only some of it may be different the next time. */
export function failureKind(outcome: Outcome): FailureKind {
  if (outcome.type !== 'error') return 'answered'
  const { cause } = outcome
  if (!(cause instanceof TargetError)) return 'answered'
  const { reason, facts } = cause
  if (AUTHORIZATION.has(reason)) return 'authorization'
  if (TRANSPORT.has(reason)) return 'transport'
  if (reason !== 'http_status') return 'gateway'
  if (facts.status === TOO_MANY) return 'throttled'
  return AWAY.has(facts.status) ? 'transport' : 'answered'
}

/** How long a server wants to be left alone, in milliseconds; undefined when it does not say. */
export function pauseOf(outcome: Outcome): number | undefined {
  const cause = outcome.type === 'error' ? outcome.cause : undefined
  const text = cause instanceof TargetError ? cause.retryAfter : undefined
  if (text === undefined) return undefined
  return /^\d+$/.test(text) ? Number(text) * 1000 : Math.max(0, Date.parse(text) - Date.now())
}
