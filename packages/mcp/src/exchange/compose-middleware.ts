import type { Exchange, Middleware, Outcome } from './exchange.ts'

/** A handle of exchanges of one kind. */
type HandleOf<E extends Exchange> = (exchange: E) => Outcome | Promise<Outcome>

/** Folds middleware around a handle, the first outermost; with none, the handle itself is returned. */
export function composeMiddleware<E extends Exchange>(
  middleware: readonly Middleware<E>[],
  handle: HandleOf<E>,
): HandleOf<E> {
  return middleware.reduceRight<HandleOf<E>>(
    (inner, wrap) => (exchange) => wrap(exchange, (changed = exchange) => promised(inner, changed)),
    handle,
  )
}

/** Adds no promise to one that is there already: every link of every call comes through here. */
function promised<E extends Exchange>(handle: HandleOf<E>, exchange: E): Promise<Outcome> {
  try {
    const outcome = handle(exchange)
    return outcome instanceof Promise ? outcome : Promise.resolve(outcome)
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}
