import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from './support/gantry.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

const SERVER = `import { Server, tool } from '@gantry/mcp/server'
import { serveStdio } from '@gantry/mcp/server/node'
await serveStdio(new Server({ name: 'app', tools: {
  never: tool({ run: () => new Promise(() => setInterval(() => {}, 1000)) }),
  large: tool({ run: () => 'x'.repeat(4_000_000) }),
  slow: tool({ run: () => new Promise((done) => setTimeout(done, 500, 'done')) }),
} }))`

const CONFIG = { mcpServers: { app: { command: process.execPath, args: ['server.mjs'] } } }

async function prepare(more: object = {}): Promise<void> {
  await shop.write('server.mjs', SERVER)
  await shop.write('gantry.json', JSON.stringify({ ...CONFIG, ...more }))
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const HELLO =
  line({
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } },
  }) + line({ method: 'notifications/initialized' })
const call = (id: string, name: string): string =>
  line({ id, method: 'tools/call', params: { name, arguments: {} } })

describe('gantry serve --stdio with a client that stops reading', () => {
  it('leaves the client after the stall time-out, says why, and ends', async () => {
    await prepare({ server: { limits: { stallTimeout: '200ms' } } })
    const gantry = shop.start('serve', '--stdio', '--config', 'gantry.json')
    gantry.child.stdin.write(HELLO + line({ id: 'list', method: 'tools/list' }))
    await gantry.says(/app_large/)
    gantry.child.stdout.pause()
    gantry.child.stdin.write(call('large', 'app_large'))
    const [code] = await once(gantry.child, 'exit')
    expect(code).toBe(1)
    expect(gantry.err).toMatch(/On standard input and output: The client has read nothing for \d+ ms/)
  })
})

describe('gantry serve --stdio at the end of its input', () => {
  it('answers the calls under way, cuts off those that never end, and is gone soon', async () => {
    await prepare()
    const gantry = shop.start('serve', '--stdio', '--config', 'gantry.json')
    gantry.child.stdin.write(HELLO + line({ id: 'list', method: 'tools/list' }))
    await gantry.says(/app_slow/)
    gantry.child.stdin.write(call('slow', 'app_slow') + call('never', 'app_never'))
    await new Promise((resolve) => setTimeout(resolve, 200))
    gantry.child.stdin.end()
    const began = Date.now()
    await once(gantry.child, 'close')
    expect(Date.now() - began).toBeLessThan(20_000)
    const answers = gantry.out
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(answers.find(({ id }) => id === 'slow')).toMatchObject({ result: { content: [{ text: 'done' }] } })
    expect(answers.find(({ id }) => id === 'never')).toHaveProperty('error')
  })
})

describe('gantry serve at SIGTERM', () => {
  it('says that it is draining, then closes the port, and answers calls past the grace', async () => {
    await prepare({ server: { port: 0, drainDelay: 700, shutdownGrace: 300 } })
    const gantry = shop.start('serve', '--config', 'gantry.json')
    const endpoint = await gantry.endpoint()
    const ready = (): Promise<Response> => fetch(new URL('/ready', endpoint))
    expect((await ready()).status).toBe(200)
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const post = (body: string, more: Record<string, string> = {}): Promise<Response> =>
      fetch(endpoint, { method: 'POST', headers: { ...headers, ...more }, body })
    const opened = await post(HELLO.split('\n')[0]!)
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
    const never = post(call('never', 'app_never'), session)
    const list = await post(line({ id: 1, method: 'tools/list' }), session)
    expect(await list.text()).toContain('app_never')
    gantry.child.kill('SIGTERM')
    await expect
      .poll(async () => (await ready()).json(), { interval: 20, timeout: 3000 })
      .toEqual({ status: 'draining' })
    expect(await (await never).json()).toMatchObject({ id: 'never', error: { code: -32603 } })
    await once(gantry.child, 'close')
    expect(gantry.child.exitCode).toBe(0)
    await expect(ready()).rejects.toThrow()
  })
})
