import { once } from 'node:events'
import { createServer } from 'node:http'
import { readFields } from './protobuf.mjs'

const KINDS = ['', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']

/**
 * Receives OTLP over HTTP: protobuf as the gateway sends it, and JSON as a collector may send it on. `raw` is
 * everything that arrived, for those who look for what must not be in it.
 */
export async function startReceiver() {
  /** @type {{ spans: any[], metrics: any[], raw: Buffer[], headers: import('node:http').IncomingHttpHeaders[] }} */
  const received = { spans: [], metrics: [], raw: [], headers: [] }
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const isJson = request.headers['content-type'] === 'application/json'
      received.raw.push(body)
      received.headers.push(request.headers)
      if (request.url === '/v1/traces') received.spans.push(...(isJson ? jsonSpans(body) : protoSpans(body)))
      else if (request.url === '/v1/metrics')
        received.metrics = isJson ? jsonMetrics(body) : protoMetrics(body)
      response.writeHead(200, { 'content-type': isJson ? 'application/json' : 'application/x-protobuf' })
      response.end(isJson ? '{}' : '')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    spans: received.spans,
    raw: received.raw,
    headers: received.headers,
    /** As of the last export: they count from the start. */
    get metrics() {
      return received.metrics
    },
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function protoSpans(body) {
  return readFields(body)
    .messages(1)
    .flatMap((resource) => {
      const service = attributesOf(resource.messages(1)[0]?.messages(1) ?? [])['service.name']
      return resource.messages(2).flatMap((scope) => scope.messages(2).map((span) => toSpan(span, service)))
    })
}

function toSpan(span, service) {
  const status = span.messages(15)[0]
  return {
    service,
    traceId: span.hex(1),
    spanId: span.hex(2),
    state: span.text(3),
    parentId: span.hex(4),
    name: span.text(5),
    kind: KINDS[span.number(6)],
    start: span.fixed64(7),
    end: span.fixed64(8),
    attributes: attributesOf(span.messages(9)),
    links: span.messages(13).map((link) => ({ traceId: link.hex(1), spanId: link.hex(2) })),
    failed: status?.number(3) === 2,
    message: status?.text(2) ?? '',
  }
}

function attributesOf(pairs) {
  return Object.fromEntries(pairs.map((pair) => [pair.text(1), plainValue(pair.messages(2)[0])]))
}

function plainValue(value) {
  if (!value) return undefined
  if (value.has(1)) return value.text(1)
  if (value.has(2)) return value.number(2) === 1
  if (value.has(3)) return value.number(3)
  return value.has(4) ? value.double(4) : '(other)'
}

function protoMetrics(body) {
  return readFields(body)
    .messages(1)
    .flatMap((resource) => resource.messages(2))
    .flatMap((scope) => scope.messages(2))
    .map((metric) => ({
      name: metric.text(1),
      unit: metric.text(3),
      points: (metric.messages(9)[0]?.messages(1) ?? []).map((point) => ({
        attributes: attributesOf(point.messages(9)),
        count: Number(point.fixed64(4)),
        sum: point.double(5),
      })),
    }))
}

function jsonSpans(body) {
  return JSON.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = jsonAttributes(resource?.attributes)['service.name']
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service,
        traceId: span.traceId,
        spanId: span.spanId,
        state: span.traceState ?? '',
        parentId: span.parentSpanId ?? '',
        name: span.name,
        kind: KINDS[span.kind],
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: jsonAttributes(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        failed: span.status?.code === 2,
        message: span.status?.message ?? '',
      })),
    )
  })
}

function jsonAttributes(pairs = []) {
  return Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  )
}

function jsonMetrics(body) {
  return JSON.parse(body)
    .resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .map(({ name, unit, histogram }) => ({
      name,
      unit,
      points: (histogram?.dataPoints ?? []).map(({ attributes, count, sum }) => ({
        attributes: jsonAttributes(attributes),
        count: Number(count),
        sum,
      })),
    }))
}
