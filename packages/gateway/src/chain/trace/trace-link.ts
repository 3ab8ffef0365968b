import type { Tracer } from '../../telemetry/tracer.ts'
import type { Link } from '../link.ts'

/** A span for every request of a client. Everything that happens for the request lies within it. */
export function traceLink(tracer: Tracer | undefined): Link | undefined {
  if (!tracer) return undefined
  return (exchange, next) => {
    const trace = tracer.begin(exchange)
    exchange.trace = trace
    if (trace) exchange.whenEnded((outcome) => trace.end(outcome, exchange))
    return next()
  }
}

/** What links do that is worth a span, by the names of the links. The span ends where the next link begins. */
const STEPS: Readonly<Record<string, string>> = {
  limits: 'queue',
  resolve: 'resolve',
  policy: 'policy',
  rates: 'rate limit',
  approval: 'approval',
}
/** What links do with a result: the span begins where the next link has ended. */
const LATER_STEPS: Readonly<Record<string, string>> = { results: 'transformation', view: 'transformation' }

/** The same links, each with its span. Links themselves know nothing of traces. */
export function tracedLinks(
  links: Readonly<Record<string, Link | undefined>>,
): Record<string, Link | undefined> {
  return Object.fromEntries(
    Object.entries(links).map(([name, link]) => [
      name,
      link && withSteps(link, STEPS[name], LATER_STEPS[name]),
    ]),
  )
}

function withSteps(link: Link, before: string | undefined, after: string | undefined): Link {
  const ended = after === undefined ? link : withLaterStep(link, after)
  return before === undefined ? ended : withEarlierStep(ended, before)
}

/** A request that does not reach the next link ends here with its own outcome. */
function withEarlierStep(link: Link, name: string): Link {
  return (exchange, next) => {
    const { trace } = exchange
    if (!trace) return link(exchange, next)
    const began = performance.now()
    let isEnded = false
    const end = (): void => {
      isEnded = true
      trace.step(name, began)
    }
    const outcome = link(exchange, (changed) => {
      end()
      return next(changed)
    })
    if (isEnded) return outcome
    return Promise.resolve(outcome).finally(() => {
      if (!isEnded) end()
    })
  }
}

function withLaterStep(link: Link, name: string): Link {
  return async (exchange, next) => {
    const { trace } = exchange
    if (!trace) return link(exchange, next)
    let began: number | undefined
    try {
      return await link(exchange, async (changed) => {
        try {
          return await next(changed)
        } finally {
          began = performance.now()
        }
      })
    } finally {
      if (began !== undefined) trace.step(name, began)
    }
  }
}
