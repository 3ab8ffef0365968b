/** Bounds in seconds, as the semantic conventions for MCP advise. */
export const OPERATION_BOUNDS: readonly number[] = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
]

export type OperationName = `mcp.${'server' | 'client'}.${'operation' | 'session'}.duration`

export type SeriesAttributes = Readonly<Record<string, string | number | boolean>>

/** A call that stands for the others in its bucket, with the trace where it can be seen. */
export interface Exemplar {
  readonly traceId: string
  readonly spanId: string
  readonly value: number
  readonly at: number
}

export interface DurationSeries {
  readonly attributes: SeriesAttributes
  /** How many were no longer than each bound, but longer than the one before; one more for the rest. */
  readonly counts: number[]
  readonly exemplars: (Exemplar | undefined)[]
  sum: number
  count: number
  min: number
  max: number
}

/** Series of one histogram. Names come from catalogs, and catalogs can be long. */
const MAX_SERIES = 2000
const OVERFLOW = '\u0000overflow'

/** What tells series apart, without the attributes: making those, or a text of them, is most of what a call costs. */
export interface SeriesKey {
  readonly method: string
  readonly name: string
  readonly version: string
  readonly transport: string
  readonly address: string
  /** How it ended: empty where that has no attributes. */
  readonly end: string
}

interface KnownSeries extends SeriesKey {
  readonly series: DurationSeries
}

interface Histogram {
  readonly series: Map<string, DurationSeries>
  /** The same series by the name and the end in their keys: a target may end its calls in a thousand ways. */
  readonly known: Map<string, Map<string, KnownSeries[]>>
  knownCount: number
}

/** What can tell the attributes of a series. */
export interface Labelled {
  labels(): SeriesAttributes
}

/** The histograms that the semantic conventions for MCP name, in a bounded amount of memory. */
export class OperationDurations {
  readonly #histograms = new Map<OperationName, Histogram>()
  readonly since: number = Date.now()

  /** The labels are made only when the key is new. Returns the series. */
  record(name: OperationName, seconds: number, key: SeriesKey, labelled: Labelled): DurationSeries {
    let histogram = this.#histograms.get(name)
    if (!histogram) {
      histogram = { series: new Map(), known: new Map(), knownCount: 0 }
      this.#histograms.set(name, histogram)
    }
    const series = findKnown(histogram, key) ?? learn(histogram, key, withoutUri(labelled.labels()))
    series.counts[bucketOf(seconds)]!++
    series.sum += seconds
    series.count++
    if (seconds < series.min) series.min = seconds
    if (seconds > series.max) series.max = seconds
    return series
  }

  *all(): Generator<readonly [OperationName, readonly DurationSeries[]]> {
    for (const [name, { series }] of this.#histograms) yield [name, [...series.values()]]
  }
}

function findKnown({ known }: Histogram, key: SeriesKey): DurationSeries | undefined {
  const like = known.get(key.name)?.get(key.end)
  if (like) for (const one of like) if (areSame(one, key)) return one.series
  return undefined
}

function areSame(one: SeriesKey, other: SeriesKey): boolean {
  return (
    one.method === other.method &&
    one.version === other.version &&
    one.transport === other.transport &&
    one.address === other.address
  )
}

function learn(histogram: Histogram, key: SeriesKey, attributes: SeriesAttributes): DurationSeries {
  const { known } = histogram
  const series = seriesOf(histogram, attributes)
  if (histogram.knownCount >= MAX_SERIES) {
    known.clear()
    histogram.knownCount = 0
  }
  histogram.knownCount++
  const named = known.get(key.name) ?? new Map<string, KnownSeries[]>()
  known.set(key.name, named)
  named.set(key.end, [...(named.get(key.end) ?? []), { ...key, series }])
  return series
}

function seriesOf({ series }: Histogram, attributes: SeriesAttributes): DurationSeries {
  const key = Object.values(attributes).join('\n')
  const known = series.get(key)
  if (known) return known
  const isFull = series.size >= MAX_SERIES
  const place = isFull ? OVERFLOW : key
  const found = series.get(place) ?? newSeries(isFull ? { 'otel.metric.overflow': true } : attributes)
  series.set(place, found)
  return found
}

/** The URI of a resource would give every resource a series of its own. */
function withoutUri(attributes: SeriesAttributes): SeriesAttributes {
  if (attributes['mcp.resource.uri'] === undefined) return attributes
  const { 'mcp.resource.uri': _, ...others } = attributes
  return others
}

/** Keeps the newest call of each bucket that can be looked at. */
export function keepExemplar(series: DurationSeries, exemplar: Exemplar): void {
  series.exemplars[bucketOf(exemplar.value)] = exemplar
}

function bucketOf(seconds: number): number {
  let bucket = 0
  while (bucket < OPERATION_BOUNDS.length && seconds > OPERATION_BOUNDS[bucket]!) bucket++
  return bucket
}

function newSeries(attributes: SeriesAttributes): DurationSeries {
  const buckets = OPERATION_BOUNDS.length + 1
  return {
    attributes,
    counts: new Array<number>(buckets).fill(0),
    exemplars: new Array<Exemplar | undefined>(buckets).fill(undefined),
    sum: 0,
    count: 0,
    min: Number.POSITIVE_INFINITY,
    max: 0,
  }
}
