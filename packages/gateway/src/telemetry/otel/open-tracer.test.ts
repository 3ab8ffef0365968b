import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openTracer } from './open-tracer.ts'

it('ends in time when the collector takes what is left and never answers', async () => {
  let asked = 0
  const collector = createServer(() => void asked++).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  onTestFinished(() => {
    collector.closeAllConnections()
    collector.close()
  })
  const { port } = collector.address() as AddressInfo
  const tracer = openTracer({
    otlp: {
      endpoint: `http://127.0.0.1:${port}`,
      headers: {},
      share: 1,
      slow: 5000,
      bodies: false,
      interval: 60_000,
    },
    env: {},
    version: '0.0.0',
    log: () => {},
    scrubber: { scrubText: (text: string) => text } as never,
  })
  tracer.sessionEnded({ version: '2025-11-25', transport: 'http', lasted: 5 })
  const began = performance.now()
  await tracer.close()
  expect(asked).toBe(1)
  // The packages themselves give up after ten seconds.
  expect(performance.now() - began).toBeLessThan(8000)
})
