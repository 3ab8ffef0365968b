import { ValueType, type HrTime } from '@opentelemetry/api'
import { millisToHrTime } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type CollectionResult,
  type DataPoint,
  type Histogram,
  type HistogramMetricData,
  type MetricProducer,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import { OPERATION_BOUNDS, type DurationSeries, type OperationName } from '../operation-durations.ts'

/** What was measured since a moment. */
export interface MeasuredDurations {
  readonly since: number
  readonly all: readonly (readonly [OperationName, readonly DurationSeries[]])[]
}

/** Sends the histograms of operations and sessions, at intervals. */
export class MetricSender {
  readonly #provider: MeterProvider

  constructor(
    durations: () => Promise<MeasuredDurations>,
    resource: Resource,
    options: { readonly exporter: PushMetricExporter; readonly interval: number; readonly version: string },
  ) {
    const { exporter, interval, version } = options
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: interval,
      exportTimeoutMillis: Math.min(interval, 30_000),
      metricProducers: [new DurationProducer(durations, resource, version)],
    })
    this.#provider = new MeterProvider({ resource, readers: [reader] })
  }

  close(): Promise<void> {
    return this.#provider.shutdown()
  }
}

class DurationProducer implements MetricProducer {
  readonly #durations: () => Promise<MeasuredDurations>
  readonly #resource: Resource
  readonly #version: string

  constructor(durations: () => Promise<MeasuredDurations>, resource: Resource, version: string) {
    this.#durations = durations
    this.#resource = resource
    this.#version = version
  }

  async collect(): Promise<CollectionResult> {
    const { since, all } = await this.#durations()
    const startTime = millisToHrTime(since)
    const endTime = millisToHrTime(Date.now())
    const metrics = all.map(([name, series]) => toMetric(name, series, startTime, endTime))
    const scope = { name: 'gantry', version: this.#version }
    return {
      resourceMetrics: { resource: this.#resource, scopeMetrics: [{ scope, metrics }] },
      errors: [],
    }
  }
}

function toMetric(
  name: OperationName,
  series: readonly DurationSeries[],
  startTime: HrTime,
  endTime: HrTime,
): HistogramMetricData {
  return {
    descriptor: { name, unit: 's', description: DESCRIPTIONS[name], valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: series.map(
      ({ attributes, counts, sum, count, min, max }): DataPoint<Histogram> => ({
        startTime,
        endTime,
        attributes: { ...attributes },
        value: { buckets: { boundaries: [...OPERATION_BOUNDS], counts: [...counts] }, sum, count, min, max },
      }),
    ),
  }
}

const DESCRIPTIONS: Readonly<Record<OperationName, string>> = {
  'mcp.server.operation.duration': 'How long requests of clients took.',
  'mcp.client.operation.duration': 'How long requests to targets took.',
  'mcp.server.session.duration': 'How long sessions of clients lasted.',
  'mcp.client.session.duration': 'How long connections to targets lasted.',
}
