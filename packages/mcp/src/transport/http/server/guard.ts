import type { AuthInfo, RequestContext } from '../../../exchange/index.ts'
import type { HttpHead } from './reply.ts'

/** What a caller is answered that lacks scopes: usually 403 with `WWW-Authenticate` (RFC 6750, section 3.1). */
export type ScopeChallenge = (scopes: readonly string[]) => {
  status: number
  headers: Record<string, string>
}

export type GuardVerdict =
  | { ok: true; auth: AuthInfo | undefined; challenge?: ScopeChallenge }
  | { ok: false; status: number; headers?: Record<string, string>; body?: string }

export type Guard = (head: HttpHead) => GuardVerdict | Promise<GuardVerdict>

export interface HttpContext extends RequestContext {
  /** The request itself: its credential is looked at again when the guard changes. */
  head: HttpHead
  challenge?: ScopeChallenge | undefined
}
