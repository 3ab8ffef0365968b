import { expect, it } from 'vitest'
import { Server, tool, ToolResult } from '@gantry/mcp/server'
import { chainBench, liveExchange } from '../chain.test.support.ts'

const content = Array.from({ length: 300_000 }, (_, at) => ({ type: 'text' as const, text: `line ${at}` }))
const fail = tool({ run: () => new ToolResult({ content, isError: true }) })
const { gateway } = await chainBench({ a: new Server({ name: 'a', tools: { fail } }) })

it('tells and records an error of hundreds of thousands of texts in the time of a few copies', async () => {
  const call = (): unknown =>
    gateway.endpoint()!.respond(liveExchange('tools/call', { name: 'a_fail', arguments: {} }))
  await call()
  const times: number[] = []
  for (const work of [() => JSON.stringify(content, (_, value: unknown) => value), call]) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  const [written, called] = times as [number, number]
  const [record] = gateway.exchanges.recent(1)
  expect(record?.messages?.at(-1)?.bytes).toBeGreaterThan(10_000_000)
  expect(record?.messages?.at(-1)?.json.length).toBeLessThan(70_000)
  expect(called).toBeLessThan(written * 13)
})
