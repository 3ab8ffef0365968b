import type { Exchange, Middleware, Outcome } from '../exchange/exchange.ts'

/** One request, when it is done. */
export interface Timing {
  readonly method: string
  /** The tool, prompt or URI that it was about. */
  readonly name: string | undefined
  readonly milliseconds: number
  /** `failed` is a tool that says so; `error` an error of the protocol. */
  readonly outcome: 'ok' | 'failed' | 'asked' | 'task' | 'error'
}

/**
 * Tells how long requests took.
 *
 * ```ts
 * app.use(timing(({ method, name, milliseconds }) => histogram.record(milliseconds, { method, name })))
 * ```
 */
export function timing(report: (timing: Timing) => void): Middleware {
  return async (exchange, next) => {
    const began = performance.now()
    const tell = (outcome: Timing['outcome']): void => {
      const { method } = exchange
      report({ method, name: nameOf(exchange), milliseconds: performance.now() - began, outcome })
    }
    try {
      const outcome = await next()
      tell(wordFor(outcome))
      return outcome
    } catch (error) {
      tell('error')
      throw error
    }
  }
}

function nameOf({ params }: Exchange): string | undefined {
  const name = params.name ?? params.uri
  return typeof name === 'string' ? name : undefined
}

function wordFor(outcome: Outcome): Timing['outcome'] {
  if (outcome.type === 'complete') return outcome.result.isError === true ? 'failed' : 'ok'
  return outcome.type === 'input_required' ? 'asked' : outcome.type
}
