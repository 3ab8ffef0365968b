import { context, metrics, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkMetrics, checkSpans } from '../support/otel/check-spans.mjs'
import { Server, tool, ToolError } from '@gantry/mcp/server'
import { eras } from '@gantry/mcp/testing'
import { clientTracing, tracing } from '@gantry/mcp/tracing'

const spans = new InMemorySpanExporter()
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })

beforeAll(() => {
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()]
  provider.register({ propagator: new CompositePropagator({ propagators }) })
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
})
beforeEach(() => spans.reset())
afterAll(async () => {
  await provider.shutdown()
  await reader.shutdown()
  trace.disable()
  metrics.disable()
  context.disable()
  propagation.disable()
})

const app = () =>
  new Server({
    name: 's',
    tools: {
      add: tool({
        run: () => {
          trace.getTracer('own').startSpan('inner').end()
          return 'done'
        },
      }),
      fail: tool({
        run: () => {
          throw new ToolError('no')
        },
      }),
    },
  }).use(tracing()) as Server

const plain = (span: ReadableSpan) => ({
  kind: SpanKind[span.kind],
  name: span.name,
  attributes: span.attributes,
  failed: span.status.code === 2,
})
const named = (kind: SpanKind, method: string) =>
  spans.getFinishedSpans().filter((span) => span.kind === kind && span.name.startsWith(method))

describe('tracing', () => {
  it('makes the span of the server a child of the span of the client, in every era', () =>
    eras(app, async ({ client }) => {
      spans.reset()
      client.use(clientTracing())
      await client.call('add')
      await client.call('fail')
      await client.call('made up').catch(() => {})
      const [asked, failed, refused] = named(SpanKind.CLIENT, 'tools/call')
      const [answered, failedHere, unknown] = named(SpanKind.SERVER, 'tools/call')
      expect(answered!.spanContext().traceId).toBe(asked!.spanContext().traceId)
      expect(answered!.parentSpanContext?.spanId).toBe(asked!.spanContext().spanId)
      expect([asked!.name, answered!.name]).toEqual(['tools/call add', 'tools/call add'])
      expect(asked!.attributes['jsonrpc.request.id']).toBe(answered!.attributes['jsonrpc.request.id'])
      const inner = spans.getFinishedSpans().find(({ name }) => name === 'inner')!
      expect(inner.parentSpanContext?.spanId).toBe(answered!.spanContext().spanId)
      for (const span of [failed!, failedHere!]) expect(span.attributes['error.type']).toBe('tool_error')
      // The client has made the name up, and the client alone writes it down.
      expect([refused!.name, unknown!.name]).toEqual(['tools/call made up', 'tools/call'])
      expect([refused!.status.code, unknown!.status.code]).toEqual([2, 0])
      expect(checkSpans(spans.getFinishedSpans().map(plain))).toEqual([])
    }))

  it('links to the span around it when the client has named another parent', async () => {
    const tracer = trace.getTracer('http')
    const http = tracer.startSpan('POST /mcp', {}, ROOT_CONTEXT)
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const request = (_meta: object) =>
      app().handle({
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { name: 'add', _meta: { ..._meta } },
      })
    await context.with(trace.setSpan(ROOT_CONTEXT, http), async () => {
      await request({ traceparent })
      await request({ traceparent: 'x'.repeat(10_000) })
    })
    const [told, untold] = named(SpanKind.SERVER, 'tools/call')
    expect(told!.parentSpanContext?.spanId).toBe('b'.repeat(16))
    expect(told!.links.map((link) => link.context.spanId)).toEqual([http.spanContext().spanId])
    expect(untold!.parentSpanContext?.spanId).toBe(http.spanContext().spanId)
    expect(untold!.links).toEqual([])
  })

  it('measures how long requests take, on both sides', async () => {
    await eras(app, async ({ client }) => {
      client.use(clientTracing())
      await client.call('add')
    })
    await reader.forceFlush()
    const found = exporter
      .getMetrics()
      .at(-1)!
      .scopeMetrics.flatMap(({ metrics: one }) => one)
      .map(({ descriptor, dataPoints, dataPointType }) => {
        expect(dataPointType).toBe(DataPointType.HISTOGRAM)
        return { name: descriptor.name, unit: descriptor.unit, points: dataPoints }
      })
    expect(found.map(({ name }) => name).sort()).toEqual([
      'mcp.client.operation.duration',
      'mcp.server.operation.duration',
    ])
    expect(checkMetrics(found)).toEqual([])
  })
})
