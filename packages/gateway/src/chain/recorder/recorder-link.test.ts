import { describe, expect, it } from 'vitest'
import { complete, failure, ProtocolError, RefusedForLoad, type Outcome } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { TargetError } from '../../targets/target-error.ts'
import { ExchangeLog } from '../../telemetry/exchange-log.ts'
import { answering, chainBench } from '../chain.test.support.ts'
import { LateRefusals } from '../limits/late-refusals.ts'
import { recorderLink } from './recorder-link.ts'

const bench = await chainBench({ a: new Server({ name: 'a' }) })

function recorder() {
  const exchanges = new ExchangeLog({ size: 10, bodyBytes: 1000, sampling: 1 })
  const lines: unknown[] = []
  return {
    exchanges,
    lines,
    link: recorderLink(exchanges, (...line) => lines.push(line), new LateRefusals()),
  }
}

describe('the recorder', () => {
  it('records a request while it runs and when it has ended', async () => {
    const { exchanges, link } = recorder()
    let running = 0
    await link(bench.exchange('tools/call', { name: 'x' }), async () => {
      running = exchanges.running.length
      return complete({})
    })
    expect(running).toBe(1)
    expect(exchanges.running).toEqual([])
    expect(exchanges.recent(1)).toMatchObject([{ method: 'tools/call', name: 'x', status: 'ok' }])
    expect(exchanges.total.totals()).toMatchObject({ calls: 1, errors: 0 })
  })

  it.each([
    ['a typed refusal', new ProtocolError(-32602, 'Unknown tool: x'), { code: -32602 }, 'info'],
    [
      'a target that failed',
      new TargetError('a', 'closed', 'secret detail'),
      { code: -32603, data: { target: 'a', reason: 'closed' } },
      'warn',
    ],
    ['anything else', new Error('secret detail'), { code: -32603, message: 'Internal error' }, 'warn'],
  ])('makes an outcome of %s, and a line', async (_what, thrown, error, level) => {
    const { exchanges, lines, link } = recorder()
    const outcome = await link(bench.exchange('tools/call'), () => Promise.reject(thrown))
    expect(outcome).toMatchObject({ type: 'error', error, cause: thrown })
    expect(JSON.stringify(outcome)).not.toContain('secret detail"}')
    expect(exchanges.total.totals()).toMatchObject({ calls: 1, errors: 1 })
    expect(lines).toMatchObject([[level, 'tools/call failed', { detail: thrown.message }]])
  })

  it('does not take what the gateway itself refuses for a failure of the target', async () => {
    const { exchanges, link } = recorder()
    const make = (end: () => Outcome, targetMs?: number) => {
      const exchange = bench.exchange('tools/call', { name: 'a_x' })
      return link(exchange, async () => {
        Object.assign(exchange.record!, { target: 'a', targetMs })
        return end()
      })
    }
    const refuse = (thrown: Error) => () => {
      throw thrown
    }
    const toolError = () => complete({ isError: true, content: [] })
    await make(refuse(new ProtocolError(-32600, 'Refunds need a lead')))
    await make(toolError)
    expect(exchanges.total.totals()).toMatchObject({ calls: 2, errors: 2 })
    expect(exchanges.statsOf('a').totals()).toMatchObject({ calls: 0, errors: 0 })
    await make(refuse(new TargetError('a', 'quarantined', 'It cannot be started')))
    await make(refuse(new ProtocolError(-32602, 'Its own error')), 5)
    await make(toolError, 5)
    await make(() => complete({}), 5)
    await make(() => complete({}))
    expect(exchanges.statsOf('a').totals()).toMatchObject({ calls: 5, errors: 3 })
  })

  it('shows what is said and asked to those who watch', async () => {
    const { exchanges, link } = recorder()
    exchanges.watch(() => {})
    const ask = async () => ({ one: { action: 'accept' } })
    const exchange = bench.exchange('tools/call', {}, { ask })
    await link(exchange, async () => {
      exchange.notify({ method: 'notifications/progress', params: { progress: 1 } })
      await exchange.ask!({ one: { method: 'elicitation/create' } })
      return complete({})
    })
    const messages = exchanges
      .recent(1)[0]!
      .messages!.map(({ direction, json }) => [direction, JSON.parse(json)])
    expect(messages).toMatchObject([
      ['in', { method: 'tools/call' }],
      ['out', { method: 'notifications/progress' }],
      ['out', { method: 'elicitation/create' }],
      ['in', { result: { action: 'accept' } }],
      ['out', { type: 'complete' }],
    ])
  })

  it('writes a few lines about a flood that is refused, and one for each other failure', async () => {
    const { lines, link } = recorder()
    const refuse = () => Promise.reject(new RefusedForLoad('too often', { reason: 'limit' }))
    for (let at = 0; at < 100; at++) await link(bench.exchange('tools/call'), refuse)
    expect(lines).toHaveLength(5)
    await link(bench.exchange('tools/call'), () => Promise.reject(new Error('of another caller')))
    expect(lines.at(-1)).toMatchObject(['warn', 'tools/call failed', { detail: 'of another caller' }])
  })

  it('keeps an error outcome as it is', async () => {
    const { link } = recorder()
    const outcome = failure(new ProtocolError(-32000, 'of the target'))
    expect(await link(bench.exchange('x'), answering(outcome).next)).toBe(outcome)
  })
})
