import { context, SpanKind, SpanStatusCode, trace, type Link, type Span } from '@opentelemetry/api'
import type { Exchange, Middleware, Outcome } from '../exchange/exchange.ts'
import { contextIn } from './carrier.ts'
import {
  endOf,
  isUnknown,
  methodLabel,
  namedIn,
  requestAttributes,
  spanName,
  type TraceAttributes,
} from './conventions.ts'
import { Instruments } from './instruments.ts'

/**
 * A span and a measurement for each request of a client, after OpenTelemetry's conventions for MCP. What the client
 * says in `_meta` is the parent; the span of the HTTP request becomes a link. Handlers run inside of the span.
 *
 * ```ts
 * app.use(tracing())
 * ```
 */
export function tracing(): Middleware {
  const instruments = new Instruments('server')
  return async (exchange, next) => {
    // What an edge asks on its own behalf is no request of a client.
    if (exchange.id === undefined) return next()
    const began = performance.now()
    const { span, within } = begin(exchange, instruments)
    const outcome = await context
      .with(within, () => next())
      .catch((thrown: unknown) => {
        span.setAttribute('error.type', '-32603').setStatus({ code: SpanStatusCode.ERROR })
        span.end()
        throw thrown
      })
    instruments.measured(began, finish(span, exchange, outcome))
    return outcome
  }
}

function begin(
  exchange: Exchange,
  { tracer }: Instruments,
): { span: Span; within: ReturnType<typeof trace.setSpan> } {
  const ambient = context.active()
  const given = contextIn(exchange.params)
  const hasParent = trace.getSpanContext(given) !== undefined
  const parent = hasParent ? given : ambient
  const span = tracer.startSpan(
    methodLabel(exchange.method),
    {
      kind: SpanKind.SERVER,
      attributes: receivedAttributes(exchange),
      links: hasParent ? linksTo(ambient) : [],
    },
    parent,
  )
  return { span, within: trace.setSpan(parent, span) }
}

function linksTo(ambient: ReturnType<typeof context.active>): Link[] {
  const around = trace.getSpanContext(ambient)
  return around ? [{ context: around }] : []
}

function receivedAttributes({ method, id, client, headers, peer }: Exchange): TraceAttributes {
  const attributes = requestAttributes(methodLabel(method), undefined)
  attributes['jsonrpc.request.id'] = String(id)
  attributes['mcp.protocol.version'] = client.version
  attributes['network.transport'] = headers ? 'tcp' : 'pipe'
  if (headers) attributes['network.protocol.name'] = 'http'
  if (peer !== undefined) attributes['client.address'] = peer
  return attributes
}

/** A name is written down when the answer shows that the server has it: callers make names up. */
function finish(span: Span, exchange: Exchange, outcome: Outcome): TraceAttributes {
  const { params } = exchange
  const method = methodLabel(exchange.method)
  const name = isUnknown(outcome) ? undefined : namedIn(method, params)
  const end = endOf(outcome, 'server')
  const learned = { ...requestAttributes(method, name), ...end.attributes }
  span.setAttributes(learned).updateName(spanName(method, name))
  if (end.failed)
    span.setStatus({ code: SpanStatusCode.ERROR, ...(end.message !== undefined && { message: end.message }) })
  span.end()
  return { ...receivedAttributes(exchange), ...learned }
}
