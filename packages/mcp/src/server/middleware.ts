import { deriveExchange } from '../exchange/derive-exchange.ts'
import type { Exchange, Middleware, Outcome } from '../exchange/index.ts'

/** The same middleware with results that it may change in place, and exchanges that it may copy by a spread. */
export function forAuthors(middleware: Middleware): Middleware {
  return (exchange, next) =>
    middleware(exchange, async (changed) => open(await next(changed && whole(changed, exchange))))
}

/** A spread leaves out what an exchange has by its class, such as its signal; that comes from the original. */
function whole(changed: Exchange, exchange: Exchange): Exchange {
  if (changed === exchange || Object.getPrototypeOf(changed) !== Object.prototype) return changed
  const derived = deriveExchange(exchange, {})
  const own: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(changed)
  // Another signal is another end.
  if ('signal' in own) own.cancellation ??= { value: undefined }
  return Object.defineProperties(derived, own)
}

/** A cached text would outlive the changes that a middleware makes to the result beside it. */
function open(outcome: Outcome): Outcome {
  if (outcome?.type !== 'complete' || outcome.json === undefined) return outcome
  return { type: 'complete', result: { ...outcome.result } }
}
