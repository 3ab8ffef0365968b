import { expect, it, describe } from 'vitest'
import { complete, composeMiddleware, failure, ProtocolError, type Outcome } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import type { RequestTrace, Tracer } from '../../telemetry/tracer.ts'
import { answering, chainBench, runLink } from '../chain.test.support.ts'
import type { Link } from '../link.ts'
import { tracedWay, traceLink } from './trace-link.ts'

const bench = await chainBench({ a: new Server({ name: 'a' }) })

/** Notes the steps of one request, and how it ended. */
function tracing(): { tracer: Tracer; trace: RequestTrace; steps: string[]; ends: Outcome[] } {
  const steps: string[] = []
  const ends: Outcome[] = []
  const trace = {
    enter: (name: string) => void steps.push(name),
    step: (name: string) => void steps.push(name),
    end: (outcome: Outcome) => void ends.push(outcome),
  } as unknown as RequestTrace
  const tracer = { begin: () => trace } as unknown as Tracer
  return { tracer, trace, steps, ends }
}

describe('the link of traces', () => {
  it('is left out when nothing is traced', () => {
    expect(traceLink(undefined)).toBeUndefined()
  })

  it('gives the exchange its trace, and ends it with the outcome', async () => {
    const { tracer, trace, ends } = tracing()
    const exchange = bench.exchange('tools/call')
    const outcome = complete({})
    expect(await runLink(traceLink(tracer)!, exchange, answering(outcome).next)).toBe(outcome)
    expect(exchange.trace).toBe(trace)
    expect(ends).toEqual([outcome])
  })

  it('ends it with the failure of a request that threw, and lets that pass', async () => {
    const { tracer, ends } = tracing()
    const thrown = new ProtocolError(-32602, 'Unknown tool: x')
    const run = runLink(traceLink(tracer)!, bench.exchange('tools/call'), () => Promise.reject(thrown))
    await expect(run).rejects.toBe(thrown)
    expect(ends).toMatchObject([failure(thrown)])
  })

  it('leaves a request alone that has no trace', async () => {
    const exchange = bench.exchange('tools/call')
    const tracer = { begin: () => undefined } as unknown as Tracer
    expect(await traceLink(tracer)!(exchange, answering().next)).toEqual(complete({}))
    expect(exchange.trace).toBeUndefined()
  })
})

describe('links with spans', () => {
  const passing: Link = async (_exchange, next) => next()
  const refusing: Link = async () => Promise.reject(new ProtocolError(-32602, 'no'))
  const run = async (links: Record<string, Link | undefined>, isTraced = true): Promise<string[]> => {
    const { trace, steps } = tracing()
    const exchange = bench.exchange('tools/call')
    if (isTraced) exchange.trace = trace
    const way = tracedWay(links, () => {
      steps.push('the end of the way')
      return complete({})
    })
    await Promise.resolve(composeMiddleware([...way.links], way.handle)(exchange)).catch(() => {})
    return steps
  }

  it('have one for what they do before the next link', async () => {
    expect(await run({ limits: passing, audit: passing, resolve: passing, policy: passing })).toEqual([
      'queue',
      '',
      'resolve',
      'policy',
      '',
      'the end of the way',
    ])
  })

  it('have one for what they do with the result', async () => {
    expect(await run({ results: passing })).toEqual(['the end of the way', 'transformation'])
  })

  it('have one when they refuse, and none for work that was never begun', async () => {
    expect(await run({ policy: refusing, results: refusing })).toEqual(['policy'])
  })

  it('have none without a trace, or when their work is not worth one', async () => {
    expect(await run({ policy: passing }, false)).toEqual(['the end of the way'])
    expect(await run({ secrets: passing, policy: undefined })).toEqual(['the end of the way'])
  })
})
