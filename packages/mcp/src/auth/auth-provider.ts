/** The request that is about to be sent; `authorize` adds its headers in place. */
export interface AuthRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly signal?: AbortSignal | undefined
}

/** The request that was refused. With its headers, a late refusal of an older token costs no new token. */
export interface RefusedRequest {
  readonly url: string
  readonly method: string
  readonly headers?: Headers | undefined
  readonly signal?: AbortSignal | undefined
}

export interface AuthProvider {
  /** Adds `Authorization` (and `DPoP`) to a request, when there is a token for it. */
  authorize(request: AuthRequest): Promise<void> | void
  /** Called for 401, and 403 with `insufficient_scope`. True: retry with new credentials. False: report it. */
  onUnauthorized(response: Response, request: RefusedRequest): Promise<boolean>
}
