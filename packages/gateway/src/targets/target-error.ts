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
