import { INTERNAL_ERROR, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'

export interface LoadRefusal {
  /** One word for programs. */
  readonly reason: string
  /** When to come back, in seconds. */
  readonly retryAfter?: number
  /** 429: a limit is reached, of the caller or of all. 503: nobody is served at all, now. */
  readonly status?: 429 | 503
  /** Further members of the error's `data`. */
  readonly data?: JsonObject
  /** For reporters; never sent. */
  readonly cause?: unknown
}

const ONE_SECOND = 1

/**
 * Thrown, or made an outcome with `failure`, when a request is refused because there is too much to do, and for no
 * other reason: nothing was done, and the same request may succeed later. Over HTTP it is answered with its status and
 * `Retry-After`.
 */
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
