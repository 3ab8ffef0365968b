import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connector } from '../exchange/index.ts'
import { Server, tool } from '../server/index.ts'
import { stdio } from '../entries/client.node.ts'
import { http } from '../transport/http/client/http-client.ts'
import { memory } from '../transport/memory.ts'
import { toNodeHandler } from '../entries/server.node.ts'
import { Client } from './index.ts'

const script = fileURLToPath(new URL('fixtures/line-server.mjs', import.meta.url))
const app = new Server({
  name: 'echo',
  tools: {
    echo: tool({ run: (args) => JSON.stringify(args) }),
    ask: tool({
      run: async (_, ctx) => JSON.stringify(await ctx.elicit('Name?', { type: 'object', properties: {} })),
    }),
  },
})
const handler = toNodeHandler(app)
const server = createServer(handler)
let url = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
})
afterAll(async () => {
  handler.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const PLACES: [string, () => Connector][] = [
  ['stdio, legacy', () => stdio({ command: process.execPath, args: [script, 'legacy'] })],
  ['stdio, modern', () => stdio({ command: process.execPath, args: [script, 'modern'] })],
  ['HTTP', () => http(url)],
  ['memory', () => memory(app)],
]

describe.each(PLACES)('an argument that JSON has no form for, over %s', (_place, connector) => {
  it('is named, and is nobody else’s fault', async () => {
    await using client = new Client({ connector: connector() })
    const loop: Record<string, unknown> = { name: 'loop' }
    loop.again = [loop]
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level++) deep = { deep }

    await expect(client.call('echo', { list: [1, { n: 7n }] })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(
        /^The arguments of tools\/call cannot be written as JSON: arguments.list\[1\].n is a bigint/,
      ),
      details: { method: 'tools/call', path: 'arguments.list[1].n' },
    })
    await expect(client.call('echo', { loop })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('arguments.loop.again[0] contains itself'),
    })
    await expect(client.call('echo', { deep })).rejects.toMatchObject({ code: 'invalid_argument' })
    const broken = {
      get name() {
        throw new Error('gone')
      },
    }
    await expect(client.call('echo', { broken })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('arguments.broken.name cannot be read: gone'),
    })
    expect((await client.call('echo', { value: 'still here' })).text()).toContain('still here')
  })
})

it('an answer of that kind is told as an answer, and the server is not left waiting', async () => {
  await using client = new Client({
    connector: http(url),
    protocolVersion: '2025-11-25',
    elicit: () => ({ action: 'accept', content: { n: 7n } }),
  })
  await expect(client.call('ask')).rejects.toMatchObject({
    code: 'invalid_answer',
    message: expect.stringContaining('content.n is a bigint'),
  })
})
