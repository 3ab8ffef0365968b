import { ProtocolError } from '../../jsonrpc/index.ts'
import type { Outcome } from '../exchange.ts'
import type { RefusedForLoad } from './refused-for-load.ts'
import type { InsufficientScope } from './required-scopes.ts'

/** Errors that mean more to HTTP than their body says: they have a status and headers of their own. */
export type RequestRefusal = InsufficientScope | RefusedForLoad

/** Why a request was refused before anything was done; undefined for results and all other errors. */
export function refusalOf(outcome: Outcome): RequestRefusal | undefined {
  const cause = outcome.type === 'error' ? outcome.cause : undefined
  if (!(cause instanceof ProtocolError)) return undefined
  const { requiredScopes, retryAfter } = cause as Partial<InsufficientScope & RefusedForLoad>
  return requiredScopes !== undefined || retryAfter !== undefined ? (cause as RequestRefusal) : undefined
}
