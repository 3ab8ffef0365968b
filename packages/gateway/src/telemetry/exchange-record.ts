import {
  cancellationOf,
  outlineOf,
  type Exchange,
  type Failure,
  type Outcome,
  type Principal,
} from '@gantry/mcp/exchange'
import { hideCredentials } from '../model/index.ts'
import type { ClientTag } from './client-tag.ts'

export type RecordStatus = 'running' | 'ok' | 'tool-error' | 'error' | 'input-required' | 'task' | 'cancelled'

export interface SeenMessage {
  readonly hop: 'client' | 'target'
  /** As the gateway sees it: `in` came to it, `out` left it. */
  readonly direction: 'in' | 'out'
  readonly message: unknown
  /** What was translated here, in words. */
  readonly note?: string
}

/** The same as it is kept: as JSON without credentials, and no more of it than is allowed. */
export interface KeptMessage extends Omit<SeenMessage, 'message'> {
  readonly at: number
  readonly json: string
  readonly bytes: number
}

export interface ExchangeRecord {
  readonly id: number
  readonly at: number
  readonly method: string
  readonly name: string | undefined
  readonly client: {
    readonly name: string | undefined
    readonly version: string
    readonly session: string | undefined
    readonly principal: Principal | undefined
  }
  target: string | undefined
  durationMs: number | undefined
  status: RecordStatus
  error: string | undefined
  /** Whose call it is when the gateway itself is the client. */
  readonly tag: ClientTag | undefined
  /** Whether its messages are kept while somebody looks: it is one of the sample. */
  readonly keeps: boolean
  messages: KeptMessage[] | undefined
}

/** An exchange that is recorded, or one derived from it. */
interface Recorded extends Exchange {
  readonly record?: ExchangeRecord | undefined
}

/** The record of the request that an exchange belongs to, however often it was derived. */
export function recordOf(exchange: Exchange): ExchangeRecord | undefined {
  for (let at: Recorded | undefined = exchange; at; at = at.origin) if (at.record) return at.record
  return undefined
}

export function statusOf(outcome: Outcome, exchange: Exchange): RecordStatus {
  if (cancellationOf(exchange).aborted && exchange.method !== 'subscriptions/listen') return 'cancelled'
  switch (outcome.type) {
    case 'complete':
      return outlineOf(outcome).isError === true ? 'tool-error' : 'ok'
    case 'input_required':
      return 'input-required'
    case 'task':
      return 'task'
    case 'error':
      return 'error'
  }
}

/** Why an exchange failed, for operators: callers are told less. */
export function failureText({ error, cause }: Failure): string {
  return hideCredentials(cause instanceof Error ? cause.message : error.message)
}
