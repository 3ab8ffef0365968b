import type { Exchange, Handle, Middleware, Outcome } from '../exchange/index.ts'

/** Folds middleware around a handle; with none, the handle itself is returned and costs nothing more. */
export function composeMiddleware(middleware: readonly Middleware[], handle: Handle): Handle {
  return middleware.reduceRight<Handle>(
    (inner, wrap) => (exchange) =>
      wrap(exchange, async (changed: Exchange = exchange): Promise<Outcome> => open(await inner(changed))),
    handle,
  )
}

/** A cached text would outlive the changes that a middleware makes to the result beside it. */
function open(outcome: Outcome): Outcome {
  if (outcome?.type !== 'complete' || outcome.json === undefined) return outcome
  return { type: 'complete', result: { ...outcome.result } }
}
