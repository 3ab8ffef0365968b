import { ROOT_CONTEXT } from '@opentelemetry/api'
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-node'

/** The share of traces that begin here and are sent, from 0 to 1. The standard variables go before the default. */
export function shareOf(configured: number | undefined, env: NodeJS.ProcessEnv): number {
  if (configured !== undefined) return configured
  const sampler = env.OTEL_TRACES_SAMPLER?.replace(/^parentbased_/, '')
  if (sampler === 'always_off') return 0
  const share = Number(env.OTEL_TRACES_SAMPLER_ARG)
  return sampler === 'traceidratio' && env.OTEL_TRACES_SAMPLER_ARG && share >= 0 && share <= 1 ? share : 1
}

/** Decides by the id, so that all who see a trace decide alike. */
export function samplerOf(share: number): (traceId: string) => boolean {
  if (share >= 1) return () => true
  if (share <= 0) return () => false
  const sampler = new TraceIdRatioBasedSampler(share)
  return (traceId) =>
    sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED
}
