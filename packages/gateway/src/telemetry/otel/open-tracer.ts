import { cutText } from '@gantry/mcp/foreign'
import type { TraceAttributes } from '@gantry/mcp/tracing'
import { hideShapes, type OtlpModel } from '../../model/index.ts'
import { limitedLog, type Log } from '../log.ts'
import { OperationDurations } from '../operation-durations.ts'
import type { SecretScrubber } from '../secret-scrubber.ts'
import type { Tracer, TracedSession } from '../tracer.ts'
import { IdPool } from './id-pool.ts'
import { OtelRequestTrace, type TraceServices } from './request-trace.ts'
import { TailDecision } from './span-record.ts'
import { type Destination, SenderClient } from './sender-client.ts'
import { addressText, isWire, networkOf, serverAddress } from './server-address.ts'

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
  const { otlp, env, version, log } = options
  const durations = new OperationDurations()
  const limited = limitedLog(log, { lines: 1, period: 60_000 })
  const sender = new SenderClient({
    settings: {
      version,
      traces: env.OTEL_TRACES_EXPORTER === 'none' ? undefined : destination(otlp, 'traces'),
      metrics:
        env.OTEL_METRICS_EXPORTER === 'none'
          ? undefined
          : {
              destination: destination(otlp, 'metrics'),
              interval: otlp.interval ?? (Number(env.OTEL_METRIC_EXPORT_INTERVAL) || 60_000),
            },
    },
    durations: () => ({ since: durations.since, all: [...durations.all()] }),
    onError: (detail) => limited('warn', 'Traces or metrics could not be sent', { detail }),
  })
  const services = traceServices(options, durations, sender)
  return {
    durations,
    begin: (exchange) =>
      // A request that an edge makes on its own behalf does not come from a client.
      exchange.id === undefined ? undefined : new OtelRequestTrace(exchange, services),
    sessionEnded: (session) => measureSession(durations, session),
    close: () => sender.close(),
  }
}

function traceServices(
  { otlp, env, scrubber }: TracerOptions,
  durations: OperationDurations,
  sender: SenderClient,
): TraceServices {
  return {
    durations,
    tail: new TailDecision(otlp.slow),
    ids: new IdPool(),
    isSampled: samplerOf(shareOf(otlp.share, env)),
    send: (span) => sender.send(span),
    clean: (text) => (PLAIN.test(text) ? text : scrubber.scrubText(cutText(text, MAX_TEXT))),
    hasSecrets: (text) => scrubber.scrubText(text) !== text,
    body: otlp.bodies ? (value) => cutText(scrubber.toJson(value, hideShapes), MAX_BODY) : undefined,
  }
}

/** Names of tools, for the most part: nothing in them looks like a secret. */
const PLAIN = /^[a-z_-]{1,64}$/

function destination({ endpoint, headers }: OtlpModel, signal: 'traces' | 'metrics'): Destination {
  const given = Object.entries(headers).map(([name, value]) => [name, value.reveal()] as const)
  return {
    ...(endpoint !== undefined && { url: `${endpoint.replace(/\/+$/, '')}/v1/${signal}` }),
    ...(given.length > 0 && { headers: Object.fromEntries(given) }),
  }
}

/** The share of traces that begin here and are sent, from 0 to 1. The standard variables go before the default. */
function shareOf(configured: number | undefined, env: NodeJS.ProcessEnv): number {
  if (configured !== undefined) return configured
  const sampler = env.OTEL_TRACES_SAMPLER?.replace(/^parentbased_/, '')
  if (sampler === 'always_off') return 0
  const share = Number(env.OTEL_TRACES_SAMPLER_ARG)
  return sampler === 'traceidratio' && env.OTEL_TRACES_SAMPLER_ARG && share >= 0 && share <= 1 ? share : 1
}

/** Decides by the id, so that all who see a trace decide alike: as `TraceIdRatioBasedSampler` does, for a tenth. */
export function samplerOf(share: number): (traceId: string) => boolean {
  if (share >= 1) return () => true
  if (share <= 0) return () => false
  const bound = Math.floor(share * 0xffffffff)
  return (traceId) => {
    let mixed = 0
    for (let at = 0; at < 8; at++) {
      mixed <<= 4
      for (let part = at; part < traceId.length; part += 8) mixed ^= digitAt(traceId, part)
    }
    return mixed >>> 0 < bound
  }
}

/** Of a hexadecimal number in small letters. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < LETTER_A ? code - DIGIT_0 : code - LETTER_A + 10
}

const DIGIT_0 = 48
const LETTER_A = 97

/** Counts a session that is over. What runs in this process, or is no MCP, has none. */
function measureSession(durations: OperationDurations, session: TracedSession): void {
  const { version, transport, lasted, target } = session
  if (!isWire(transport)) return
  const labels = (): TraceAttributes => ({
    'mcp.protocol.version': version,
    ...networkOf(transport),
    ...(target && serverAddress(target)),
  })
  const address = target ? addressText(target) : ''
  const key = { method: '', name: '', version, transport, address, end: '' }
  durations.record(`mcp.${target ? 'client' : 'server'}.session.duration`, lasted / 1000, key, { labels })
}
