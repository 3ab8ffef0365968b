import { setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { RandomIdGenerator } from '@opentelemetry/sdk-trace-node'
import { cutText } from '@gantry/mcp/foreign'
import { hideShapes, type OtlpModel } from '../../model/index.ts'
import { limitedLog, type Log } from '../log.ts'
import { OperationDurations } from '../operation-durations.ts'
import type { SecretScrubber } from '../secret-scrubber.ts'
import type { Tracer } from '../tracer.ts'
import { measureSession } from './measure-session.ts'
import { MetricSender } from './metric-sender.ts'
import { OtelRequestTrace, type TraceServices } from './request-trace.ts'
import { samplerOf, shareOf } from './sampling.ts'
import { TailDecision } from './span-record.ts'
import { SpanSender } from './span-sender.ts'

export interface TracerOptions {
  readonly otlp: OtlpModel
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly log: Log
  readonly scrubber: SecretScrubber
}

/** Characters of a name or a message that spans have. */
const MAX_TEXT = 256
/** Characters of arguments or of a result. */
const MAX_BODY = 8192

/** Sends traces and metrics by OTLP. Loaded only where that is wanted: it brings OpenTelemetry's packages along. */
export function openTracer(options: TracerOptions): Tracer {
  const { otlp, env, version } = options
  reportFailures(options)
  const durations = new OperationDurations()
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'gantry', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
  const spans =
    env.OTEL_TRACES_EXPORTER === 'none'
      ? undefined
      : new SpanSender(resource, new OTLPTraceExporter(destination(otlp, 'traces')), version)
  const metrics =
    env.OTEL_METRICS_EXPORTER === 'none'
      ? undefined
      : new MetricSender(durations, resource, {
          exporter: new OTLPMetricExporter(destination(otlp, 'metrics')),
          interval: otlp.interval ?? (Number(env.OTEL_METRIC_EXPORT_INTERVAL) || 60_000),
          version,
        })
  const services = traceServices(options, durations, spans)
  return {
    durations,
    begin: (exchange) =>
      // What an edge asks on its own behalf is no request of a client.
      exchange.id === undefined ? undefined : new OtelRequestTrace(exchange, services),
    sessionEnded: (session) => measureSession(durations, session),
    async close() {
      // A collector that does not answer must not keep the gateway from stopping.
      await Promise.allSettled([spans?.close(), metrics?.close()])
    },
  }
}

function traceServices(
  { otlp, env, scrubber }: TracerOptions,
  durations: OperationDurations,
  spans: SpanSender | undefined,
): TraceServices {
  const ids = new RandomIdGenerator()
  return {
    durations,
    tail: new TailDecision(otlp.slow),
    newTraceId: ids.generateTraceId,
    newSpanId: ids.generateSpanId,
    isSampled: samplerOf(shareOf(otlp.share, env)),
    send: (traceId, span) => spans?.send(traceId, span),
    clean: (text) => (PLAIN.test(text) ? text : scrubber.scrubText(cutText(text, MAX_TEXT))),
    body: otlp.bodies ? (value) => cutText(scrubber.toJson(value, hideShapes), MAX_BODY) : undefined,
  }
}

/** Names of tools, for the most part: nothing in them looks like a secret. */
const PLAIN = /^[a-z_-]{1,64}$/

/** Without an endpoint the packages read the standard variables themselves. */
function destination(
  { endpoint, headers }: OtlpModel,
  signal: 'traces' | 'metrics',
): ConstructorParameters<typeof OTLPTraceExporter>[0] {
  const given = Object.entries(headers).map(([name, value]) => [name, value.reveal()] as const)
  return {
    ...(endpoint !== undefined && { url: `${endpoint.replace(/\/+$/, '')}/v1/${signal}` }),
    ...(given.length > 0 && { headers: Object.fromEntries(given) }),
  }
}

function reportFailures({ log }: TracerOptions): void {
  const limited = limitedLog(log, { lines: 1, period: 60_000 })
  setGlobalErrorHandler((error) =>
    limited('warn', 'Traces or metrics could not be sent', {
      detail: error instanceof Error ? error.message : String(error),
    }),
  )
}
