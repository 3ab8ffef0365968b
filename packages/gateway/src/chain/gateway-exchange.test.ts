import { describe, expect, it } from 'vitest'
import { deriveExchange, type Notification } from '@gantry/mcp/exchange'
import { Server, tool } from '@gantry/mcp/server'
import { recordOf, ExchangeLog } from '../telemetry/exchange-log.ts'
import { chainBench } from './chain.test.support.ts'

const bench = await chainBench({ a: new Server({ name: 'a', tools: { echo: tool({ run: () => 'x' }) } }) })

describe('an exchange of the gateway', () => {
  it('lets the link nearest to the target hear first, and passes on what is left', () => {
    const said: Notification[] = []
    const exchange = bench.exchange('x', {}, { notify: (notification) => said.push(notification) })
    const heard: string[] = []
    exchange.hear((notification) => {
      heard.push('outer')
      return { ...notification, method: `${notification.method}/outer` }
    })
    exchange.hear((notification) => {
      heard.push('inner')
      return notification.method === 'dropped' ? undefined : notification
    })
    exchange.notify({ method: 'said' })
    exchange.notify({ method: 'dropped' })
    expect(heard).toEqual(['inner', 'outer', 'inner'])
    expect(said).toEqual([{ method: 'said/outer' }])
  })

  it('carries what it was resolved to, and tells its record', async () => {
    const exchange = bench.exchange('tools/call', { name: 'a_echo' })
    exchange.record = new ExchangeLog({ size: 1, bodyBytes: 1, sampling: 1 }).begin(exchange)
    exchange.resolve(await bench.resolver.resolve(exchange))
    expect(exchange.params).toEqual({ name: 'echo' })
    expect(exchange.origin.params).toEqual({ name: 'a_echo' })
    expect(exchange.record.target).toBe('a')
    const again = exchange.under(bench.exchange('tools/call', { name: 'other' }))
    expect(again.resolved).toBe(exchange.resolved)
    expect(again.params).toEqual({ name: 'other' })
  })

  it('has one record, however often it is derived', () => {
    const exchange = bench.exchange('x')
    const record = new ExchangeLog({ size: 1, bodyBytes: 1, sampling: 1 }).begin(exchange)
    exchange.record = record
    const derived = deriveExchange(deriveExchange(exchange, { params: {} }), { method: 'y' })
    expect(recordOf(derived)).toBe(record)
    expect(recordOf(exchange.origin)).toBeUndefined()
  })

  it('ends with its caller', () => {
    const exchange = bench.exchange('x')
    const { cancellation } = exchange
    ;(exchange.origin as unknown as { abort(): void }).abort()
    expect(cancellation.aborted).toBe(true)
    expect(exchange.signal.aborted).toBe(true)
  })
})
