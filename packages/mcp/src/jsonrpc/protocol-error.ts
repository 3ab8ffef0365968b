import { INTERNAL_ERROR } from './error-codes.ts'

export interface JsonRpcError {
  code: number
  message: string
  data?: unknown
}

/** An error that crosses the wire: a numeric code, a message, optional data. */
export class ProtocolError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProtocolError'
    this.code = code
    this.data = data
  }

  /** The error for the wire, without `cause` and `stack`. */
  toJsonRpc(): JsonRpcError {
    return this.data === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, data: this.data }
  }

  /** Anything that is not already a ProtocolError becomes a bare internal error; its text is not exposed. */
  static from(thrown: unknown): ProtocolError {
    if (thrown instanceof ProtocolError) return thrown
    return new ProtocolError(INTERNAL_ERROR, 'Internal error', undefined, { cause: thrown })
  }

  static fromJsonRpc(error: JsonRpcError): ProtocolError {
    return new ProtocolError(error.code, error.message, error.data)
  }
}
