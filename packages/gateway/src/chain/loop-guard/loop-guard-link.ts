import { complete, RefusedForLoad, type Outcome } from '@gantry/mcp/exchange'
import type { RepeatedErrorsModel } from '../../model/index.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { toFailure } from '../to-failure.ts'
import { LoopGuard } from './loop-guard.ts'

/** Answers a call that has just failed several times in the same way, with the advice to stop. */
export function loopGuardLink(model: RepeatedErrorsModel | undefined): Link | undefined {
  if (!model) return undefined
  const guard = new LoopGuard(model)
  return async (given, next) => {
    if (given.method !== 'tools/call') return next()
    const exchange = given as ResolvedExchange
    const failures = guard.errorOf(exchange)
    if (failures) {
      const text = `This call has failed ${failures.count} times in a row with the same error, so the gateway did not make it again. Do not repeat it as it is: change the arguments, use another tool, or tell the user. The error was: ${failures.error}`
      return complete({ content: [{ type: 'text', text }], isError: true })
    }
    const outcome = await next().catch(toFailure)
    // A refusal for load ends by waiting, as it says itself.
    if (!isForLoad(outcome)) guard.note(exchange, outcome)
    return outcome
  }
}

function isForLoad(outcome: Outcome): boolean {
  return outcome.type === 'error' && outcome.cause instanceof RefusedForLoad
}
