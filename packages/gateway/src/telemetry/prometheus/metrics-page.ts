import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import { parseJson } from '@gantry/mcp/foreign'
import {
  OPERATION_BOUNDS,
  type DurationSeries,
  type OperationDurations,
  type OperationName,
} from '../operation-durations.ts'
import { DURATION_BOUNDS, type StatsTotals } from '../stats.ts'

export type Labels = Record<string, string>
type Over = 'sum' | 'first' | 'min' | 'max'
type Samples = readonly (readonly [Labels, number])[]

interface HistogramValue {
  readonly metricName: string
  readonly labels: Record<string, string | number>
  readonly value: number
  readonly exemplar?: { labelSet: Labels; value: number; timestamp: number } | undefined
}

/** One answer to a scrape. What is counted elsewhere is only written down here, by `prom-client`. */
export class MetricsPage {
  readonly #registry: Registry

  constructor(isOpen: boolean) {
    this.#registry = new Registry()
    if (isOpen) this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never)
  }

  get type(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** For another process, which puts it together with its own. */
  async json(): Promise<string> {
    return JSON.stringify(await this.#registry.getMetricsAsJSON())
  }

  /** The text of this page and of those of other processes, as one. */
  async textWith(others: readonly string[]): Promise<string> {
    const pages = [await this.json(), ...others].map((page) => parseJson(page) as never)
    const all = AggregatorRegistry.aggregate(pages)
    if (this.type === Registry.OPENMETRICS_CONTENT_TYPE) all.setContentType(this.type as never)
    return all.metrics()
  }

  /** `over`: what the value of several processes together is. */
  gauge(name: string, help: string, samples: Samples, over: Over = 'sum'): void {
    const registers = [this.#registry]
    const gauge = new Gauge({ name, help, labelNames: labelsOf(samples), registers, aggregator: over })
    for (const [labels, value] of samples) gauge.set(labels, value)
  }

  counter(name: string, help: string, samples: Samples): void {
    const counter = new Counter({ name, help, labelNames: labelsOf(samples), registers: [this.#registry] })
    for (const [labels, value] of samples) counter.inc(labels, value)
  }

  single(kind: 'gauge' | 'counter', name: string, help: string, value: number, over?: Over): void {
    if (kind === 'gauge') this.gauge(name, help, [[{}, value]], over)
    else this.counter(name, help, [[{}, value]])
  }

  durations(name: string, help: string, all: readonly (readonly [Labels, StatsTotals])[]): void {
    const bounds = DURATION_BOUNDS.map((bound) => bound / 1000)
    const values = all.flatMap(([labels, { calls, durationMs, durations }]) =>
      histogram(name, labels, bounds, {
        counts: durations,
        sum: durationMs / 1000,
        count: calls,
        exemplars: [],
      }),
    )
    this.#histogram(name, help, values)
  }

  /** The histograms of OpenTelemetry's conventions, with traces to look at where the format has them. */
  operations(durations: OperationDurations): void {
    for (const [name, series] of durations.all()) {
      const own = `${name.replaceAll('.', '_')}_seconds`
      const values = series.flatMap((one) => histogram(own, labelsFrom(one), OPERATION_BOUNDS, one))
      this.#histogram(own, HELP[name], values)
    }
  }

  /** Filled by others: `prom-client` asks for the values and writes them. */
  #histogram(name: string, help: string, values: HistogramValue[]): void {
    const metric = { name, help, type: 'histogram', aggregator: 'sum', values }
    this.#registry.registerMetric({ name, get: async () => metric } as never)
  }
}

function labelsOf(samples: Samples): string[] {
  return [...new Set(samples.flatMap(([labels]) => Object.keys(labels)))]
}

function labelsFrom({ attributes }: DurationSeries): Labels {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.replaceAll('.', '_'), String(value)]),
  )
}

function histogram(
  name: string,
  labels: Labels,
  bounds: readonly number[],
  {
    counts,
    sum,
    count,
    exemplars,
  }: Pick<DurationSeries, 'sum' | 'count'> & {
    readonly counts: readonly number[]
    readonly exemplars: DurationSeries['exemplars']
  },
): HistogramValue[] {
  let below = 0
  const buckets = [...bounds, '+Inf' as const].map((le, index): HistogramValue => {
    below += counts[index] ?? 0
    const kept = exemplars[index]
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value: below,
      ...(kept && {
        exemplar: {
          labelSet: { trace_id: kept.traceId, span_id: kept.spanId },
          value: kept.value,
          timestamp: kept.at / 1000,
        },
      }),
    }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

const HELP: Readonly<Record<OperationName, string>> = {
  'mcp.server.operation.duration': 'How long requests of clients took.',
  'mcp.client.operation.duration': 'How long requests to targets took.',
  'mcp.server.session.duration': 'How long sessions of clients lasted.',
  'mcp.client.session.duration': 'How long connections to targets lasted.',
}
