import { INTERNAL_ERROR, type Outcome, ProtocolError } from '@gantry/mcp/exchange'
import type { AuditTrail } from '../../audit/index.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { toFailure } from '../to-failure.ts'
import { decisionEvent, type Mask, outcomeEvent } from './exchange-events.ts'
import { SeenCallers } from './seen-callers.ts'

/** Records how each request was decided and how it ended. */
export function auditLink(trail: AuditTrail | undefined, mask: Mask): Link | undefined {
  if (!trail) return undefined
  const { required } = trail.settings
  const callers = new SeenCallers(trail)
  return async (exchange, next) => {
    callers.see(exchange)
    let outcome: Outcome
    try {
      outcome = await next()
    } catch (thrown) {
      await ended(exchange, toFailure(thrown))
      throw thrown
    }
    await ended(exchange, outcome)
    return outcome
  }

  function ended(exchange: GatewayExchange, outcome: Outcome): Promise<void> | undefined {
    const event = outcomeEvent(exchange, outcome, trail!, mask)
    if (!required) return void trail!.add(event)
    return trail!.record(event).catch(() => {
      // What was refused before it was made needs no other answer.
      if (outcome.type !== 'error') throw unwritten('was made, but its result is withheld', true)
    })
  }
}

/** Where nothing may happen without a record: a call is recorded before it is made. */
export function decisionLink(trail: AuditTrail | undefined, mask: Mask): Link | undefined {
  if (!trail?.settings.required) return undefined
  return async (exchange, next) => {
    await trail.record(decisionEvent(exchange, trail, mask)).catch(() => {
      throw unwritten('was not made', false)
    })
    return next()
  }
}

function unwritten(what: string, mayHaveHappened: boolean): ProtocolError {
  const message = `The gateway could not write its audit record, so this call ${what}`
  return new ProtocolError(INTERNAL_ERROR, message, { reason: 'audit', mayHaveHappened })
}
