import { McpError, type McpErrorCode } from '@gantry/mcp/client'
import { ProtocolError } from '@gantry/mcp/exchange'

/** The kinds of failure of the SDK and of the gateway. */
export type TargetReason =
  | McpErrorCode
  | 'disabled'
  | 'stopped'
  | 'backing_off'
  | 'quarantined'
  | 'refused'
  | 'busy'
  | 'unknown'

/** Facts about a failure that all callers may know. */
export interface TargetFacts {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  /** The status of an HTTP response. */
  readonly status?: number | undefined
  /** How long the request was waited for, in milliseconds. */
  readonly timeout?: number | undefined
  /** Seconds until the gateway tries again. */
  readonly retryIn?: number | undefined
}

export interface TargetErrorOptions {
  readonly cause?: unknown
  readonly mayHaveHappened?: boolean
  readonly isRepeatable?: boolean
  readonly facts?: TargetFacts
}

/** Why a target cannot be used. The message is for operators; `callerText` makes the message for callers. */
export class TargetError extends Error {
  readonly target: string
  readonly reason: TargetReason
  /** Whether the target may have seen what it was asked before it failed. */
  readonly mayHaveHappened: boolean
  /** Whether the call may safely be made again. */
  readonly isRepeatable: boolean
  readonly facts: TargetFacts

  constructor(target: string, reason: TargetReason, message: string, options: TargetErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'TargetError'
    this.target = target
    this.reason = reason
    this.mayHaveHappened = options.mayHaveHappened ?? false
    this.isRepeatable = options.isRepeatable ?? false
    this.facts = options.facts ?? {}
  }

  /** When to try again, as the gateway or the target says: seconds or a date (RFC 9110, 10.2.3). */
  get retryAfter(): string | undefined {
    if (this.facts.retryIn !== undefined) return String(this.facts.retryIn)
    const text = this.cause instanceof McpError ? this.cause.details.retryAfter : undefined
    if (typeof text !== 'string') return undefined
    if (/^\d{1,9}$/.test(text)) return text
    const date = Date.parse(text)
    return Number.isNaN(date) ? undefined : new Date(date).toUTCString()
  }

  /** The advice to check something before the call is repeated; empty when it may be repeated. */
  get doubt(): string {
    const { mayHaveHappened, isRepeatable } = this
    return mayHaveHappened && !isRepeatable
      ? ' The call may have taken effect; check before you repeat it.'
      : ''
  }

  static from(target: string, thrown: unknown, about: Omit<TargetErrorOptions, 'facts'> = {}): TargetError {
    const { mayHaveHappened = false } = about
    if (thrown instanceof TargetError) {
      if (thrown.mayHaveHappened === mayHaveHappened) return thrown
      const { reason, message, cause, facts } = thrown
      return new TargetError(thrown.target, reason, message, { cause, facts, ...about })
    }
    const text = gatewayWords(thrown instanceof Error ? thrown.message : String(thrown))
    const error = new TargetError(
      target,
      reasonOf(thrown),
      `Target "${target}": ${text}.`.replace('..', '.'),
      {
        cause: thrown,
        facts: factsOf(thrown),
        ...about,
      },
    )
    error.message += error.doubt
    return error
  }
}

/** Messages of the SDK name its own options. The settings of the gateway have other names. */
export function gatewayWords(message: string): string {
  return message.replace(/(?:[;.,]|,? or) [Rr]aise [a-z]+[A-Z]\w*\b[^.;]*\.?$/, '')
}

function reasonOf(thrown: unknown): TargetReason {
  if (thrown instanceof McpError) return thrown.code
  // A server answers the gateway's own requests with an error when it does not want the connection.
  return thrown instanceof ProtocolError ? 'refused' : 'unknown'
}

function factsOf(thrown: unknown): TargetFacts {
  if (!(thrown instanceof McpError)) return {}
  const { exitCode, signal, status, timeout } = thrown.details
  return {
    ...(typeof exitCode === 'number' && { exitCode }),
    ...(typeof signal === 'string' && { signal }),
    ...(typeof status === 'number' && { status }),
    ...(typeof timeout === 'number' && { timeout }),
  }
}

/** Login problems are not retried like network problems: they wait for a login. */
export function isAuthFailure(thrown: unknown): boolean {
  return (
    thrown instanceof McpError &&
    (thrown.code === 'unauthorized' || thrown.code === 'forbidden' || thrown.code === 'oauth')
  )
}

/** Failures that say that the request was not carried out. */
const REFUSED: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'oauth',
  'spawn_failed',
  'session_lost',
])
/** No server received the request. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Whether a request that failed like this is certain to have had no effect. */
export function isUndone(thrown: unknown): boolean {
  if (thrown instanceof TargetError) return !thrown.mayHaveHappened
  if (!(thrown instanceof McpError)) return false
  if (REFUSED.has(thrown.code)) return true
  if (thrown.code === 'http_status') {
    const status = thrown.details.status as number
    return (status >= 400 && status < 500) || status === 503
  }
  return thrown.code === 'network' && UNREACHED.has(codeOf(thrown.cause))
}

function codeOf(cause: unknown): unknown {
  const { code, cause: deeper } = (cause ?? {}) as { code?: unknown; cause?: unknown }
  return code ?? (deeper === undefined ? undefined : codeOf(deeper))
}

/** The connection is gone; the request may or may not have been seen. */
export function isConnectionLoss(thrown: unknown): boolean {
  return (
    thrown instanceof McpError &&
    (thrown.code === 'closed' ||
      thrown.code === 'exited' ||
      thrown.code === 'network' ||
      thrown.code === 'session_lost')
  )
}
