import type { Middleware, Outcome } from '../exchange/index.ts'

/** The same middleware with results that it may change in place. */
export function withOpenResults(middleware: Middleware): Middleware {
  return (exchange, next) => middleware(exchange, async (changed) => open(await next(changed)))
}

/** A cached text would outlive the changes that a middleware makes to the result beside it. */
function open(outcome: Outcome): Outcome {
  if (outcome?.type !== 'complete' || outcome.json === undefined) return outcome
  return { type: 'complete', result: { ...outcome.result } }
}
