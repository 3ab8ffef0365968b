import { ROOT_CONTEXT } from '@opentelemetry/api'
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-node'
import { expect, it } from 'vitest'
import { IdPool } from './id-pool.ts'
import { samplerOf } from './open-tracer.ts'

it('gives ids of the right form, and none twice', () => {
  const ids = new IdPool()
  const given = new Set<string>()
  for (let count = 0; count < 2000; count++) {
    const trace = ids.trace()
    const span = ids.span()
    expect(trace).toMatch(/^[\da-f]{32}$/)
    expect(span).toMatch(/^[\da-f]{16}$/)
    given.add(trace).add(span)
  }
  expect(given.size).toBe(4000)
})

it.each([0, 0.01, 0.5, 0.999, 1])(
  'takes the traces that the official sampler takes of a share of %f',
  (share) => {
    const ids = new IdPool()
    const official = new TraceIdRatioBasedSampler(share)
    const isSampled = samplerOf(share)
    for (let count = 0; count < 5000; count++) {
      const trace = ids.trace()
      const { decision } = official.shouldSample(ROOT_CONTEXT, trace)
      expect(isSampled(trace)).toBe(decision === SamplingDecision.RECORD_AND_SAMPLED)
    }
  },
)
