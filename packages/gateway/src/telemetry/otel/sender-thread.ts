import { parentPort, workerData } from 'node:worker_threads'
import { setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { type MeasuredDurations, MetricSender } from './metric-sender.ts'
import type { FromThread, ThreadSettings, ToThread } from './sender-client.ts'
import { SpanSender } from './span-sender.ts'

const { version, traces, metrics } = workerData as ThreadSettings
const resource = defaultResource()
  .merge(resourceFromAttributes({ 'service.name': 'gantry', 'service.version': version }))
  .merge(detectResources({ detectors: [envDetector] }))
const asking: ((durations: MeasuredDurations) => void)[] = []

setGlobalErrorHandler((error) => post({ failed: error instanceof Error ? error.message : String(error) }))
const spans = traces && new SpanSender(resource, new OTLPTraceExporter(traces), version)
const measured =
  metrics &&
  new MetricSender(askForDurations, resource, {
    exporter: new OTLPMetricExporter(metrics.destination),
    interval: metrics.interval,
    version,
  })

function askForDurations(): Promise<MeasuredDurations> {
  return new Promise((resolve) => {
    asking.push(resolve)
    post({ asks: 'durations' })
  })
}

function post(message: FromThread): void {
  parentPort!.postMessage(message)
}

parentPort!.on('message', (message: ToThread) => {
  if ('spans' in message) {
    for (const span of message.spans) spans?.send(span)
    post({ taken: message.spans.length })
  } else if ('durations' in message) asking.shift()?.(message.durations)
  else void Promise.allSettled([spans?.close(), measured?.close()]).then(() => post({ closed: true }))
})
