import { McpError, type McpErrorCode } from '@gantry/mcp/client'

/** Why a target cannot be used now. It says which target, what happened and, where that is known, what to do. */
export class TargetError extends Error {
  readonly target: string
  readonly reason: McpErrorCode | 'disabled' | 'backing_off' | 'quarantined' | 'busy' | 'unknown'
  /** Whether the target may have done what it was asked before it failed. */
  readonly mayHaveHappened: boolean

  constructor(
    target: string,
    reason: TargetError['reason'],
    message: string,
    options: { cause?: unknown; mayHaveHappened?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'TargetError'
    this.target = target
    this.reason = reason
    this.mayHaveHappened = options.mayHaveHappened ?? false
  }

  /** What the target itself says about when to come back: seconds or a date (RFC 9110, 10.2.3). */
  get retryAfter(): string | undefined {
    const details = this.cause instanceof McpError ? this.cause.details : undefined
    return typeof details?.retryAfter === 'string' ? details.retryAfter.slice(0, 100) : undefined
  }

  static from(target: string, thrown: unknown, mayHaveHappened: boolean): TargetError {
    if (thrown instanceof TargetError) return thrown
    const reason = thrown instanceof McpError ? thrown.code : 'unknown'
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    const doubt = mayHaveHappened ? ' The call may have taken effect; check before you repeat it.' : ''
    return new TargetError(target, reason, `Target "${target}": ${text}.${doubt}`.replace('..', '.'), {
      cause: thrown,
      mayHaveHappened,
    })
  }
}

/** Login problems are not retried like network problems: they wait for somebody to log in. */
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
/** Nobody was there to take it. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Whether a request that failed like this is certain to have had no effect. */
export function isUndone(thrown: unknown): boolean {
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
