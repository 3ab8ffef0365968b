import { expect, it } from 'vitest'
import { failure, PlainExchange, ProtocolError } from '@gantry/mcp/exchange'
import { heapInUse } from '../fuzz/heap.ts'
import { ExchangeLog } from '../../packages/gateway/src/telemetry/exchange-log.ts'

const MB = 1024 * 1024

/** A text of one megabyte that is no part of another. */
const long = (number: number): string => Buffer.alloc(MB, `${number} `).toString('latin1')

const version = '2026-07-28' as const
const EXCHANGES = {
  'a name': (text: string) => ({ params: { name: text } }),
  'a URI': (text: string) => ({ method: 'resources/read', params: { uri: text } }),
  'a method': (text: string) => ({ method: text }),
  'arguments of a call that fails': (text: string) => ({ params: { name: 'x', arguments: { text } } }),
  'the name of a client': (text: string) => ({
    client: { info: { name: text, version: '1' }, capabilities: {}, version },
  }),
  'the capabilities of a client': (text: string) => ({
    client: { info: { name: text.slice(0, 5), version: '1' }, capabilities: { [text]: {} }, version },
  }),
}

it.each(Object.entries(EXCHANGES))('does not keep %s in memory as long as it came', async (_, init) => {
  const exchanges = new ExchangeLog({ size: 1000, bodyBytes: 1000, sampling: 1 })
  const before = await heapInUse()
  for (let number = 100; number < 150; number++) {
    const client = { capabilities: {}, version }
    const exchange = new PlainExchange({ method: 'tools/call', params: {}, client, ...init(long(number)) })
    const record = exchanges.begin(exchange)
    exchanges.end(record, failure(new ProtocolError(-32602, `no ${long(number)}`)), exchange)
  }
  expect((await heapInUse()) - before).toBeLessThan(5 * MB)
  expect(exchanges.recent(100)).toHaveLength(50)
})
