import { expect, it } from 'vitest'
import { SenderClient } from './sender-client.ts'
import type { SpanRecord } from './span-record.ts'

const span: SpanRecord = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parent: undefined,
  name: 'x',
  kind: 0,
  began: 1,
  ended: 2,
  attributes: {},
}

function sender(interval: number): { client: SenderClient; errors: string[]; asked: () => number } {
  const errors: string[] = []
  let asked = 0
  const destination = { url: 'http://127.0.0.1:9/v1/metrics' }
  const client = new SenderClient({
    settings: { version: '0.0.0', traces: undefined, metrics: { destination, interval } },
    durations: () => {
      asked++
      return { since: Date.now(), all: [] }
    },
    onError: (message) => errors.push(message),
  })
  return { client, errors, asked: () => asked }
}

it('asks for what was measured when it is time to send it, and once more at the end', async () => {
  const { client, asked } = sender(100)
  await expect.poll(asked).toBeGreaterThan(1)
  const before = asked()
  await client.close()
  expect(asked()).toBeGreaterThan(before)
  await client.close()
})

it('says why when its thread ends, and goes on without it', async () => {
  // The packages refuse an interval that is none.
  const { client, errors } = sender(-1)
  await expect.poll(() => errors.length).toBe(1)
  client.send(span)
  await client.close()
})
