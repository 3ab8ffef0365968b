import type { Tracer } from '../../telemetry/tracer.ts'
import type { Ended, HandleGatewayExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'

/** A span for every request of a client. Everything that happens for the request lies within it. */
export function traceLink(tracer: Tracer | undefined): Link | undefined {
  if (!tracer) return undefined
  return (exchange, next) => {
    const trace = tracer.begin(exchange)
    exchange.trace = trace
    if (trace) exchange.whenEnded(endTrace)
    return next()
  }
}

const endTrace: Ended = (outcome, exchange) => exchange.trace?.end(outcome, exchange)

/** What links do that is worth a span, by the names of the links. */
const STEPS: Readonly<Record<string, string>> = {
  limits: 'queue',
  resolve: 'resolve',
  policy: 'policy',
  rates: 'rate limit',
  approval: 'approval',
}
/** What links do with a result: the span begins where the next link has ended. */
const LATER_STEPS: Readonly<Record<string, string>> = { results: 'transformation', view: 'transformation' }

/** The links of one way through an endpoint, and what stands at its end. */
export interface Way {
  readonly links: readonly Link[]
  readonly handle: HandleGatewayExchange
}

/**
 * Adds the spans of links, which themselves know nothing of traces. A step ends where the next link begins. A request
 * that does not reach the next link ends its step with itself.
 */
export function tracedWay(
  links: Readonly<Record<string, Link | undefined>>,
  handle: HandleGatewayExchange,
): Way {
  const traced: Link[] = []
  let before = ''
  for (const [name, link] of Object.entries(links)) {
    if (!link) continue
    const step = STEPS[name] ?? ''
    const later = LATER_STEPS[name]
    const own = later === undefined ? link : withLaterStep(link, later)
    traced.push(step === before ? own : entering(step, own))
    before = step
  }
  return { links: traced, handle: before === '' ? handle : leaving(handle) }
}

function entering(step: string, link: Link): Link {
  return (exchange, next) => {
    exchange.trace?.enter(step)
    return link(exchange, next)
  }
}

function leaving(handle: HandleGatewayExchange): HandleGatewayExchange {
  return (exchange) => {
    exchange.trace?.enter('')
    return handle(exchange)
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
