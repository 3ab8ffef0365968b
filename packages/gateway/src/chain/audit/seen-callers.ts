import { type AuthInfo, principalKey } from '@gantry/mcp/exchange'
import type { AuditTrail } from '../../audit/index.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { actorOf } from './exchange-events.ts'

const MOST = 10_000

/** Records a caller's first request with its credential: there is no other moment at which keys and tokens sign in. */
export class SeenCallers {
  readonly #trail: AuditTrail
  readonly #seen = new WeakSet<AuthInfo>()
  readonly #principals = new Set<string>()

  constructor(trail: AuditTrail) {
    this.#trail = trail
  }

  see(exchange: GatewayExchange): void {
    const { auth, client } = exchange
    if (!auth || this.#seen.has(auth)) return
    this.#seen.add(auth)
    const key = `${principalKey(auth.principal)} ${client.info?.name ?? ''}`
    if (this.#principals.has(key)) return
    if (this.#principals.size >= MOST) this.#principals.clear()
    this.#principals.add(key)
    this.#trail.add({
      at: Date.now(),
      operation: 'sign-in',
      activity: 'other',
      actor: actorOf(exchange),
      decision: 'allowed',
      status: 'success',
      outcome: 'ok',
      more: { scopes: auth.scopes, way: auth.principal.kind === 'key' ? 'key' : 'token' },
    })
  }
}
