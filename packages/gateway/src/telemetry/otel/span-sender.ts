import { ROOT_CONTEXT, SpanStatusCode, trace, type SpanContext, type Tracer } from '@opentelemetry/api'
import { TraceState } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  type IdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'
import type { SpanPlace, SpanRecord } from './span-record.ts'

/** Gives spans the ids that they have been known by. */
class KnownIds implements IdGenerator {
  traceId = ''
  spanId = ''
  readonly generateTraceId = (): string => this.traceId
  readonly generateSpanId = (): string => this.spanId
}

/** Makes spans of what was written down, and sends them in batches. What does not fit into the queue is dropped. */
export class SpanSender {
  readonly #ids = new KnownIds()
  readonly #provider: NodeTracerProvider
  readonly #tracer: Tracer

  constructor(resource: Resource, exporter: SpanExporter, version: string) {
    this.#provider = new NodeTracerProvider({
      resource,
      idGenerator: this.#ids,
      // Whether a span is sent was decided before it is made.
      sampler: new AlwaysOnSampler(),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    })
    this.#tracer = this.#provider.getTracer('gantry', version)
  }

  send(span: SpanRecord): void {
    this.#ids.traceId = span.traceId
    this.#ids.spanId = span.spanId
    const parent = span.parent ? trace.setSpanContext(ROOT_CONTEXT, contextOf(span.parent)) : ROOT_CONTEXT
    const started = this.#tracer.startSpan(
      span.name,
      {
        kind: span.kind,
        attributes: span.attributes,
        startTime: span.began,
        links: span.link ? [{ context: contextOf(span.link) }] : [],
      },
      parent,
    )
    if (span.failed) {
      started.setStatus({
        code: SpanStatusCode.ERROR,
        ...(span.message !== undefined && { message: span.message }),
      })
    }
    started.end(span.ended)
  }

  close(): Promise<void> {
    return this.#provider.shutdown()
  }
}

function contextOf({ state, ...place }: SpanPlace): SpanContext {
  return state === undefined ? place : { ...place, traceState: new TraceState(state) }
}
