import { INTERNAL_ERROR, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'

export interface LoadRefusal {
  readonly reason: string
  readonly retryAfter?: number
  /** 429: a limit is reached, of the caller or of all. 503: nobody is served at all, now. */
  readonly status?: 429 | 503
  readonly data?: JsonObject
  /** For reporters; never sent. */
  readonly cause?: unknown
}

const ONE_SECOND = 1

/** A request refused only for load: nothing was done. HTTP answers with its status and `Retry-After`. */
export class RefusedForLoad extends ProtocolError {
  readonly status: 429 | 503
  readonly retryAfter: number

  constructor(message: string, refusal: LoadRefusal) {
    const { reason, retryAfter = ONE_SECOND, status = 429, data, cause } = refusal
    super(
      INTERNAL_ERROR,
      message,
      { ...data, reason, retryAfter },
      cause === undefined ? undefined : { cause },
    )
    this.status = status
    this.retryAfter = retryAfter
  }
}
