import type { Exchange, Handle, Middleware, Outcome } from '../exchange/index.ts'

/** Folds middleware around a handle; with none, the handle itself is returned and costs nothing more. */
export function composeMiddleware(middleware: readonly Middleware[], handle: Handle): Handle {
  return middleware.reduceRight<Handle>(
    (inner, wrap) => (exchange) =>
      wrap(exchange, async (changed: Exchange = exchange): Promise<Outcome> => inner(changed)),
    handle,
  )
}
