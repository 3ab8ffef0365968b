import { type Principal, samePrincipal } from '../../protocol/index.ts'
import type { Exchange } from '../exchange.ts'

/** Who a request belongs to: one session of one principal. Without both, the request belongs to nobody else's. */
export interface Owner {
  readonly session: string | undefined
  readonly principal: Principal | undefined
}

/** Undefined for a request that carries nothing of any user: what is sent because of it is no secret of anybody. */
export type OwnerOf = (exchange: Exchange) => Owner | undefined

/** Modern requests have no session, so their principal decides. */
export function ownerOf(exchange: Exchange): Owner {
  return { session: exchange.session, principal: exchange.auth?.principal }
}

/** Two anonymous requests without a session may come from two people: each has an owner of its own. */
export function sameOwner(one: Owner, other: Owner): boolean {
  if (one === other) return true
  if (one.session === undefined && one.principal === undefined) return false
  return one.session === other.session && samePrincipal(one.principal, other.principal)
}
