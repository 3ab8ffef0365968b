import { INVALID_REQUEST, ProtocolError } from '../../jsonrpc/index.ts'

/** Thrown by a handler that needs more scopes. HTTP answers 403 with a challenge that names them. */
export class InsufficientScope extends ProtocolError {
  readonly requiredScopes: readonly string[]

  /** All scopes that the operation needs, the ones that the caller has included. */
  constructor(requiredScopes: readonly string[], message: string = 'Insufficient scope') {
    super(INVALID_REQUEST, message)
    this.requiredScopes = requiredScopes
  }
}
