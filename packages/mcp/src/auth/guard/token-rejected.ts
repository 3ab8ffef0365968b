/** The error codes of RFC 6750, section 3.1, and RFC 9449, section 7.1. */
export type RejectionCode =
  | 'invalid_request'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'

/** The credential is no good. The message names the failed check and holds nothing of the token. */
export class TokenRejected extends Error {
  readonly code: RejectionCode

  constructor(code: RejectionCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TokenRejected'
    this.code = code
  }
}

export function invalidToken(message: string, cause?: unknown): TokenRejected {
  return new TokenRejected('invalid_token', message, cause === undefined ? undefined : { cause })
}
