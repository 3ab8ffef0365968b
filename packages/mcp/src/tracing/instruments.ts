import { type Histogram, metrics, trace, type Tracer } from '@opentelemetry/api'
import { DURATION_BUCKETS, type TraceAttributes, type TracedSide } from './conventions.ts'

const SCOPE = '@gantry/mcp'
/** Attributes that would give every request a series of its own. */
const SPAN_ONLY: readonly string[] = ['jsonrpc.request.id', 'mcp.resource.uri', 'client.address']

/** The tracer and the histogram of one side. Both do nothing until the program sets up an OpenTelemetry SDK. */
export class Instruments {
  readonly tracer: Tracer = trace.getTracer(SCOPE)
  readonly #duration: Histogram

  constructor(side: TracedSide) {
    this.#duration = metrics.getMeter(SCOPE).createHistogram(`mcp.${side}.operation.duration`, {
      unit: 's',
      description: `How long an MCP request took, as the ${side} saw it.`,
      advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
    })
  }

  measured(since: number, attributes: TraceAttributes): void {
    const kept = { ...attributes }
    for (const name of SPAN_ONLY) delete kept[name]
    this.#duration.record((performance.now() - since) / 1000, kept)
  }
}
