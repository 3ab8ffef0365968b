import type { GatewayModel, OtlpModel } from '../model/index.ts'
import type { Log } from './log.ts'
import type { SecretScrubber } from './secret-scrubber.ts'
import type { Tracer } from './tracer.ts'

/** Variables of OpenTelemetry that say where to send traces or metrics. */
const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
] as const

/** What holds when only the standard variables switch it on. */
const BY_VARIABLES: OtlpModel = {
  endpoint: undefined,
  headers: {},
  share: undefined,
  slow: 5000,
  bodies: false,
  interval: undefined,
}

export interface LoadTracerOptions {
  readonly model: GatewayModel
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly log: Log
  readonly scrubber: SecretScrubber
}

/** What follows requests. Nothing is loaded unless the configuration or OpenTelemetry's own variables want it. */
export async function loadTracer({
  model,
  env,
  ...services
}: LoadTracerOptions): Promise<Tracer | undefined> {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined
  const otlp = model.telemetry.otlp ?? (ENDPOINTS.some((name) => env[name]) ? BY_VARIABLES : undefined)
  if (!otlp) return undefined
  const { openTracer } = await import('./otel/open-tracer.ts')
  return openTracer({ otlp, env, ...services })
}
