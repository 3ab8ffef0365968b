import { context, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api'
import type { Middleware, Outcome } from '../exchange/exchange.ts'
import { withContext } from './carrier.ts'
import { endOf, endOfThrown, namedIn, requestAttributes, spanName, type TracedEnd } from './conventions.ts'
import { Instruments } from './instruments.ts'

/**
 * A span and a measurement for each request that a client sends, after OpenTelemetry's conventions for MCP. The server
 * learns of the span in `_meta`.
 *
 * ```ts
 * client.use(clientTracing())
 * ```
 */
export function clientTracing(): Middleware {
  const instruments = new Instruments('client')
  return async (exchange, next) => {
    const { method, params, client } = exchange
    const began = performance.now()
    const name = namedIn(method, params)
    const attributes = { ...requestAttributes(method, name), 'mcp.protocol.version': client.version }
    const span = instruments.tracer.startSpan(spanName(method, name), { kind: SpanKind.CLIENT, attributes })
    const within = trace.setSpan(context.active(), span)
    const ended = (end: TracedEnd): void => {
      instruments.measured(began, { ...attributes, ...end.attributes })
      finish(span, end)
    }
    // A copy, as middleware of clients makes it: the options of the call are among its members.
    const sent = {
      ...exchange,
      params: withContext(params, within),
      sending: { sent: (id: string | number) => void span.setAttribute('jsonrpc.request.id', String(id)) },
    }
    let outcome: Outcome
    try {
      outcome = await context.with(within, () => next(sent))
    } catch (thrown) {
      ended(endOfThrown(thrown))
      throw thrown
    }
    ended(endOf(outcome, 'client'))
    return outcome
  }
}

function finish(span: Span, { attributes, failed, message }: TracedEnd): void {
  span.setAttributes(attributes)
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
  span.end()
}
