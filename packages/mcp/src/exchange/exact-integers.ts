import { withSources } from '../jsonrpc/index.ts'
import { deriveExchange } from './derive-exchange.ts'
import type { Exchange, Middleware, Outcome } from './exchange.ts'

/** Lets a server's handlers put `bigint` into results, questions, progress and logs. */
export const writesIntegers: Middleware = async (exchange, next) => {
  const { ask } = exchange
  const asked = deriveExchange(exchange, {
    notify: (notification) => exchange.notify(withSources(notification)),
    ask: ask && ((requests, signal) => ask(withSources(requests), signal)),
  })
  return toWritable(await next(asked))
}

/** What was thrown is not looked into: it never leaves. */
function toWritable(outcome: Outcome): Outcome {
  return outcome.type === 'error' ? { ...outcome, error: withSources(outcome.error) } : withSources(outcome)
}

/** Lets a client's author put `bigint` into arguments; answers to questions are seen to where they are made. */
export const sendsIntegers: Middleware = (exchange: Exchange, next) => {
  const params = withSources(exchange.params)
  return next(params === exchange.params ? exchange : deriveExchange(exchange, { params }))
}
