/** The HTTP request that is about to be sent, or that was refused. `headers` may be changed by `authorize`. */
export interface AuthRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  /** Aborted when the request is given up. */
  readonly signal: AbortSignal
}

/**
 * Puts credentials on the requests of an HTTP client transport and gets new ones when they are refused.
 *
 * The transport calls `authorize` before every HTTP request, each retry and each redirect included.
 * `onUnauthorized` is called for 401, and for 403 with `error="insufficient_scope"`, a few times per request at
 * most; it answers whether a retry makes sense. Many requests may be refused at once: doing the work only once
 * is the provider's business.
 */
export interface AuthProvider {
  authorize(request: AuthRequest): Promise<void> | void
  onUnauthorized(response: Response, request: AuthRequest): Promise<boolean>
}
