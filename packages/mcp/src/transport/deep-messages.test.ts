import { PassThrough } from 'node:stream'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { connect } from '../entries/connect.ts'
import { memory } from './memory.ts'
import { Server } from '../server/index.ts'
import { call, open, resultFor, startServer } from './http/client/harness.test.node.ts'
import { toNodeHandler } from './http/server/node-handler.node.ts'
import { serveStream } from './stdio/serve-stream.node.ts'
import { LineWire } from './stdio/line-wire.node.ts'

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const request = (levels: number): string =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":${deep(levels)}}}}`
const refused = {
  jsonrpc: '2.0',
  id: 7,
  error: { code: -32600, message: expect.stringContaining('512 levels') },
}
const DEPTHS = [600, 10_000, 100_000]

const app = (): Server => new Server({ name: 'deep', version: '1' })

class TestWire extends LineWire {
  readonly kind = 'test'

  async close(): Promise<void> {}
}

describe('messages with too many levels', () => {
  it('are answered on a stream', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const served = serveStream(app(), input, output)
    for (const levels of DEPTHS) input.write(`${request(levels)}\n`)
    // Neither a response nor a notification gets an answer with an id.
    input.write(`{"jsonrpc":"2.0","id":8,"result":{"a":${deep(600)}}}\n`)
    input.end()
    await served
    const lines = String(output.read()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(DEPTHS.map(() => refused))
  })

  it('are answered over HTTP, also when a framework has parsed them', async () => {
    const handler = toNodeHandler(app())
    const parsed = (levels: number): unknown => JSON.parse(request(levels))
    const server = createServer((incoming, response) => {
      const levels = Number(incoming.headers['x-parsed'])
      if (levels > 0) incoming.resume().on('end', () => handler(incoming, response, parsed(levels)))
      else handler(incoming, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    const post = async (body: string, headers = {}): Promise<unknown> => {
      const type = { 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body })
      return [response.status, await response.json()]
    }
    for (const levels of DEPTHS) {
      expect(await post(request(levels))).toEqual([400, refused])
      expect(await post('{}', { 'x-parsed': String(levels) })).toEqual([400, refused])
    }
    handler.close()
    server.close()
  })

  it('fail the request that they answer, over HTTP and in an event stream', async () => {
    for (const type of ['application/json', 'text/event-stream']) {
      await using server = await startServer((seen, response) => {
        const text = JSON.stringify(resultFor(seen, { a: '?' })).replace('"?"', deep(10_000))
        response.setHeader('content-type', type).end(type === 'application/json' ? text : `data: ${text}\n\n`)
      })
      const wire = await open(server.url)
      await expect(wire.request(call())).rejects.toMatchObject({
        code: 'bad_response',
        message: expect.stringContaining('512 levels'),
      })
      await wire.close()
    }
  })

  it('fail the request that they answer, on a line, alone and in a batch', async () => {
    const reports: string[] = []
    const link = new TestWire({
      sink: { write() {} },
      key: 'peer',
      maxLineBytes: 1_000_000,
      facts: () => ({}),
      onProtocolError: (error) => reports.push(error.message),
    })
    const push = (text: string): boolean => link.push(new TextEncoder().encode(`${text}\n`))
    const expected = { code: 'bad_response', message: expect.stringContaining('512 levels') }
    const first = link.request({ jsonrpc: '2.0', id: 1, method: 'a' })
    push(`{"jsonrpc":"2.0","id":1,"result":{"a":${deep(100_000)}}}`)
    await expect(first).rejects.toMatchObject(expected)
    const second = link.request({ jsonrpc: '2.0', id: 2, method: 'a' })
    push(`[{"jsonrpc":"2.0","id":2,"result":{"a":${deep(600)}}}]`)
    await expect(second).rejects.toMatchObject(expected)
    const third = link.request({ jsonrpc: '2.0', id: 3, method: 'a' })
    push('{"jsonrpc":"2.0","id":3,"result":{}}')
    expect(await third).toMatchObject({ result: {} })
    expect(reports).toHaveLength(2)
  })

  it('fail the call between a client and a server of one process', async () => {
    const server = app()
    server.tool('deep', {
      run: () => ({ structuredContent: JSON.parse(`{"a":${deep(2_000)}}`), content: [] }),
    })
    await using client = await connect(memory(server))
    // The client gets none of it; the author is told where it is.
    expect((await client.call('deep')).raw).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Internal error occurred' }],
    })
    const args = JSON.parse(`{"a":${deep(2_000)}}`)
    await expect(client.call('deep', args)).rejects.toMatchObject({
      message: expect.stringContaining('512 levels'),
    })
  })
})

describe('messages with too many values', () => {
  const many = `[${'{},'.repeat(1_100_000)}1]`
  const message = expect.stringContaining('1000000 values')

  it('are answered on a stream', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const served = serveStream(app(), input, output)
    input.write(
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":${many}}}}\n`,
    )
    input.end()
    await served
    expect(JSON.parse(String(output.read()))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32600, message },
    })
  })

  it('fail the request that they answer, over HTTP and on a line', async () => {
    await using server = await startServer((seen, response) => {
      const text = JSON.stringify(resultFor(seen, { a: '?' })).replace('"?"', many)
      response.setHeader('content-type', 'application/json').end(text)
    })
    const wire = await open(server.url)
    await expect(wire.request(call())).rejects.toMatchObject({ code: 'bad_response', message })
    await wire.close()
    const options = { sink: { write() {} }, key: 'peer', maxLineBytes: 10_000_000, facts: () => ({}) }
    const link = new TestWire(options)
    const request = link.request({ jsonrpc: '2.0', id: 1, method: 'a' })
    link.push(new TextEncoder().encode(`{"jsonrpc":"2.0","id":1,"result":{"a":${many}}}\n`))
    await expect(request).rejects.toMatchObject({ code: 'bad_response', message })
  })
})
