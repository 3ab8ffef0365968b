import { ProtocolError } from '../../jsonrpc/index.ts'
import { failure, type Outcome } from '../exchange.ts'
import type { LiveExchange } from '../live-exchange.ts'
import type { Served } from './served.ts'

/** Runs the handler. What it throws becomes a failure, so that nothing gets past the edge. */
export function respondSafely(served: Served, exchange: LiveExchange): Outcome | Promise<Outcome> {
  try {
    const outcome = served.respond(exchange)
    if (!(outcome instanceof Promise)) return checked(served, outcome)
    return outcome.then(
      (settled) => checked(served, settled),
      (thrown) => toFailure(served, thrown),
    )
  } catch (thrown) {
    return toFailure(served, thrown)
  }
}

/** A middleware that forgets to return what it got must not leave a client without an answer. */
function checked(served: Served, outcome: Outcome | undefined): Outcome {
  return outcome ?? toFailure(served, new TypeError('A handler or middleware returned no outcome'))
}

function toFailure(served: Served, thrown: unknown): Outcome {
  if (!(thrown instanceof ProtocolError)) served.onInternalError?.(thrown)
  return failure(ProtocolError.from(thrown), thrown)
}
