import {
  INTERNAL_ERROR,
  type Outcome,
  ProtocolError,
  type AuthInfo,
  principalKey,
} from '@gantry/mcp/exchange'
import type { AuditTrail } from '../../audit/index.ts'
import type { Ended, GatewayExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { toFailure } from '../to-failure.ts'
import { ExchangeEvents, type Mask } from './exchange-events.ts'
import { actorOf } from './exchange-facts.ts'

/** Records how each request was decided and how it ended. */
export function auditLink(trail: AuditTrail | undefined, mask: Mask): Link | undefined {
  if (!trail) return undefined
  const { required } = trail.settings
  const callers = new SeenCallers(trail)
  const events = new ExchangeEvents(trail, mask)
  const add: Ended = (outcome, exchange) => trail.add(events.ended(exchange, outcome))
  if (!required) {
    return (exchange, next) => {
      callers.see(exchange)
      exchange.whenEnded(add)
      return next()
    }
  }
  return async (exchange, next) => {
    callers.see(exchange)
    let outcome: Outcome
    try {
      outcome = await next()
    } catch (thrown) {
      await recorded(exchange, toFailure(thrown))
      throw thrown
    }
    await recorded(exchange, outcome)
    return outcome
  }

  function recorded(exchange: GatewayExchange, outcome: Outcome): Promise<void> {
    return trail!.record(events.ended(exchange, outcome)).catch(() => {
      // A call that was refused has no other record.
      if (outcome.type !== 'error') throw unwritten('was made, but its result is withheld', true)
    })
  }
}

/** For `audit.required`: records a call before it is made. */
export function decisionLink(trail: AuditTrail | undefined, mask: Mask): Link | undefined {
  if (!trail?.settings.required) return undefined
  const events = new ExchangeEvents(trail, mask)
  return async (exchange, next) => {
    await trail.record(events.decided(exchange)).catch(() => {
      throw unwritten('was not made', false)
    })
    return next()
  }
}

function unwritten(what: string, mayHaveHappened: boolean): ProtocolError {
  const message = `The gateway could not write its audit record, so this call ${what}`
  return new ProtocolError(INTERNAL_ERROR, message, { reason: 'audit', mayHaveHappened })
}

const MOST = 10_000

/** Records a caller's first request with its credential: there is no other moment at which keys and tokens sign in. */
class SeenCallers {
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
