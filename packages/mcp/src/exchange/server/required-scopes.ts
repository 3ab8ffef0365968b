import { INVALID_REQUEST, ProtocolError } from '../../jsonrpc/index.ts'

/**
 * Thrown by a handler whose caller may do more with other scopes than its token has. Over HTTP it is answered
 * with 403 and a challenge that names them, so that the client can ask the user for more.
 */
export class InsufficientScope extends ProtocolError {
  readonly requiredScopes: readonly string[]

  /** All scopes that the operation needs, the ones that the caller has included. */
  constructor(requiredScopes: readonly string[], message: string = 'Insufficient scope') {
    super(INVALID_REQUEST, message)
    this.requiredScopes = requiredScopes
  }
}
