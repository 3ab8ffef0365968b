import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants, gzipSync } from 'node:zlib'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { lettersProgram, lettersServer } from '../support/letters-target.ts'
import { messageOf, scriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Slow machines must not run into the stall rule. */
const PATIENT = { server: { limits: { stallTimeout: '10m' } } }
const SILENT = { go: () => {}, stalled: () => {} }
const TEXT = 'To be, or “not” to be: \\ {"that": [is]} the question. 😀\n'.repeat(10_000)
const content = [
  { type: 'text', text: TEXT },
  { type: 'text', text: 'short' },
]
const link = { type: 'resource_link', uri: 'file:///notes.txt', name: 'notes' }

/** A legacy server on stdio whose tools answer with what the test wants; the head may leave in a write of its own. */
const STDIO = `
const results = JSON.parse(require('node:fs').readFileSync(process.env.RESULTS, 'utf8'))
const facts = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
const names = Object.keys(results)
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result =
    method === 'initialize' ? facts
    : method === 'tools/list' ? { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }
    : method === 'tools/call' ? results[params.name] : undefined
  const text = result ? ',"result":' + JSON.stringify(result) : ',"error":{"code":-32601,"message":"no"}'
  process.stdout.write('{"jsonrpc":"2.0","id":' + id)
  process.stdout.write(text + '}\\n')
})`

const results = {
  plain: { content },
  failed: { content, isError: true },
  linked: { content: [...content, link] },
  meta: { content, _meta: { note: 'kept' } },
  structured: { content, structuredContent: { text: TEXT } },
}

async function web() {
  const answerLong = ({
    id,
    params,
    response,
  }: {
    id: unknown
    params: { name: string }
    response: never
  }) => {
    const name = params.name as keyof typeof results
    const body = messageOf(id as number, { resultType: 'complete', ...results[name] })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    ;(response as import('node:http').ServerResponse).writeHead(200, headers).end(body)
    return undefined
  }
  const tools = Object.keys(results).map((name) => ({ name, inputSchema: { type: 'object' } }))
  const target = await scriptedTarget({
    'tools/list': () => ({ tools }),
    'tools/call': answerLong as never,
  })
  closing.push(() => target.close())
  return { url: target.url }
}

async function pipe() {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-long-'))
  closing.push(() => rm(folder, { recursive: true }))
  const file = join(folder, 'results.json')
  await writeFile(file, JSON.stringify(results))
  return { command: process.execPath, args: ['-e', STDIO], env: { RESULTS: file } }
}

async function start(): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers: { web: await web(), pipe: await pipe() } })
  closing.push(() => gateway.close())
  return gateway
}

async function clientOf(gateway: TestGateway, era: 'modern' | 'legacy'): Promise<Client> {
  const client = await connect(gateway.endpoint, { era })
  closing.push(() => client.close())
  return client
}

describe.each(['modern', 'legacy'] as const)('long results for a %s client', (era) => {
  it.each(['web', 'pipe'])('arrive as they are from %s', async (target) => {
    const client = await clientOf(await start(), era)
    const call = (name: string) => client.call(`${target}_${name}`)
    expect((await call('plain')).content).toEqual(content)
    const failed = await call('failed')
    expect([failed.isError, failed.content]).toEqual([true, content])
    expect((await call('linked')).content).toEqual([
      ...content,
      { ...link, uri: `${target}+file:///notes.txt` },
    ])
    expect((await call('meta')).raw).toMatchObject({ content, _meta: { note: 'kept' } })
    expect((await call('structured')).structured).toEqual({ text: TEXT })
    // Several at once find their own callers.
    const several = await Promise.all([call('plain'), call('failed'), call('plain')])
    expect(several.map(({ isError }) => isError)).toEqual([false, true, false])
  })

  it('arrive while they are watched, and are seen by the observer', async () => {
    const gateway = await start()
    const { exchanges } = gateway.gateway
    closing.push(exchanges.watch(() => {}))
    const client = await clientOf(gateway, era)
    for (const target of ['web', 'pipe']) {
      expect((await client.call(`${target}_plain`)).content).toEqual(content)
      const record = exchanges.recent(5).find(({ name }) => name === `${target}_plain`)
      expect(record?.status).toBe('ok')
      expect(record?.messages?.some(({ json }) => json.includes('To be, or'))).toBe(true)
    }
    expect((await client.call('pipe_failed')).isError).toBe(true)
    expect(exchanges.recent(1)[0]?.status).toBe('tool-error')
  })
})

it('results of many callers, some of whom leave, are never mixed up', async () => {
  const letters = { ...lettersProgram, prefix: false }
  const gateway = await testGateway({ mcpServers: { letters } })
  closing.push(() => gateway.close())
  const clients = await Promise.all([1, 2, 3].map(() => clientOf(gateway, 'legacy')))
  const call = async (index: number): Promise<void> => {
    const letter = String.fromCharCode(97 + (index % 26))
    const size = index % 3 === 0 ? 10 : 100_000 * (1 + (index % 20))
    const leaves = index % 7 === 0
    const signal = leaves ? AbortSignal.timeout(index % 20) : undefined
    const asked = clients[index % 3]?.call('letters', { letter, size }, signal && { signal })
    const answer = leaves ? await asked?.catch(() => undefined) : await asked
    // Not by `toEqual`, which would print megabytes.
    if (answer || !leaves) expect(answer?.text() === letter.repeat(size)).toBe(true)
  }
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 40 }, (_, index) => call(round * 40 + index)))
  }
})

it('a result that says it is a string and never ends is an error of its target', async () => {
  const target = await scriptedTarget({
    'tools/list': () => ({ tools: [{ name: 'odd', inputSchema: { type: 'object' } }] }),
    'tools/call': ({ id, response }) => {
      const body = `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[{"type":"text","text":"${'x'.repeat(100_000)}}]}}`
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
      return undefined
    },
  })
  closing.push(() => target.close())
  const gateway = await testGateway({ mcpServers: { web: { url: target.url } } })
  closing.push(() => gateway.close())
  const client = await clientOf(gateway, 'modern')
  await expect(client.call('web_odd')).rejects.toThrow(/web/)
})

describe('long results that have no room', () => {
  it.each(['body', 'event', 'pipe of each session'] as const)(
    'wait with their target (%s), and short ones do not',
    async (kind) => {
      const server = kind === 'pipe of each session' ? undefined : await lettersServer(kind)
      if (server) closing.push(() => server.close())
      const letters = server ? { url: server.url } : { ...lettersProgram, isolation: 'session' }
      const gateway = await testGateway({ mcpServers: { letters }, ...PATIENT })
      closing.push(() => gateway.close())
      const { arriving } = gateway.gateway.services
      const clients = await Promise.all([1, 2, 3, 4].map(() => clientOf(gateway, 'legacy')))
      const call = async (client: Client, size: number): Promise<number> =>
        (await client.call('letters_letters', { size })).text().length
      // Every session has its connection by now.
      await Promise.all(clients.map((client) => call(client, 1)))
      const blocker = arriving.of('another').open(SILENT)
      blocker.grows(128 * 1024 * 1024)
      const long = clients.slice(1).map((client) => call(client, 2_000_000))
      await expect.poll(() => arriving.waiting).toBe(3)
      expect(await call(clients[0]!, 10)).toBe(10)
      blocker.ends()
      expect(await Promise.all(long)).toEqual([2_000_000, 2_000_000, 2_000_000])
      await expect.poll(() => arriving.held).toBe(0)
    },
  )
})

it.each(['body', 'event'] as const)(
  'a caller that has its share of long results waits, and another does not (%s)',
  async (kind) => {
    const server = await lettersServer(kind)
    closing.push(() => server.close())
    const apiKeys = ['greedy', 'modest'].map((name) => ({ name, key: `a-long-enough-key-of-the-${name}` }))
    const gateway = await testGateway({
      mcpServers: { letters: { url: server.url } },
      auth: { apiKeys },
      ...PATIENT,
    })
    closing.push(() => gateway.close())
    const { arriving } = gateway.gateway.services
    const share = arriving
      .of('another')
      .open(SILENT, { auth: { principal: { kind: 'key', subject: 'greedy' } } })
    share.grows(64 * 1024 * 1024)
    const call = async (name: string): Promise<number> => {
      const headers = { authorization: `Bearer a-long-enough-key-of-the-${name}` }
      const client = await connect(http(gateway.endpoint, { headers }))
      closing.push(() => client.close())
      return (await client.call('letters_letters', { size: 2_000_000 })).text().length
    }
    const greedy = call('greedy')
    await expect.poll(() => arriving.waiting).toBe(1)
    expect(await call('modest')).toBe(2_000_000)
    expect(arriving.waiting).toBe(1)
    share.ends()
    expect(await greedy).toBe(2_000_000)
  },
)

/** Servers whose tool \`half\` begins a long answer and then says nothing more. */
const HALF = `"result":{"resultType":"complete","content":[{"type":"text","text":"${'x'.repeat(1_000_000)}`
const HALF_PROGRAM = `
const facts = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  if (method === 'initialize') answer(facts)
  else if (method === 'tools/list') answer({ tools: [{ name: 'half', inputSchema: { type: 'object' } }] })
  else if (method === 'tools/call') process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":"' + 'x'.repeat(1000000))
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }))
})`

describe('a target that stops in the middle of a long message', () => {
  const halves = {
    'a pipe': async () => ({ command: process.execPath, args: ['-e', HALF_PROGRAM] }),
    'the stream of HTTP+SSE': async () => {
      const old = await halfSse()
      closing.push(old.close)
      return { url: old.url, transport: 'sse' }
    },
    'an event': () =>
      halfHttp({ 'content-type': 'text/event-stream' }, (id) => `data: {"jsonrpc":"2.0","id":${id},${HALF}`),
    'a body': () =>
      halfHttp(
        { 'content-type': 'application/json', 'content-length': 50_000_000 },
        (id) => `{"jsonrpc":"2.0","id":${id},${HALF}`,
      ),
    'a compressed body': () =>
      halfHttp({ 'content-type': 'application/json', 'content-encoding': 'gzip' }, (id) =>
        gzipSync(`{"jsonrpc":"2.0","id":${id},${HALF}`, { finishFlush: constants.Z_SYNC_FLUSH }),
      ),
  }

  async function halfHttp(
    headers: Record<string, string | number>,
    textOf: (id: unknown) => string | Buffer,
  ) {
    const target = await scriptedTarget({
      'tools/list': () => ({ tools: [{ name: 'half', inputSchema: { type: 'object' } }] }),
      'tools/call': ({ id, response }) => {
        response.writeHead(200, headers).write(textOf(id))
        return undefined
      },
    })
    closing.push(() => target.close())
    return { url: target.url }
  }

  it.each(Object.keys(halves) as (keyof typeof halves)[])(
    'loses its room, and its callers learn why: %s',
    async (kind) => {
      const lines: string[] = []
      const written = vi
        .spyOn(process.stderr, 'write')
        .mockImplementation((line) => lines.push(String(line)) > 0)
      closing.push(() => written.mockRestore())
      const gateway = await testGateway(
        { mcpServers: { stuck: await halves[kind]() }, server: { limits: { stallTimeout: 600 } } },
        { logLevel: 'warn' },
      )
      closing.push(() => gateway.close())
      const { arriving } = gateway.gateway.services
      const client = await clientOf(gateway, 'modern')
      const failed = client.call('stuck_half').catch((error: Error) => error.message)
      expect(await failed).toMatch(/"stuck": it stopped in the middle of a long message/)
      await expect.poll(() => arriving.held).toBe(0)
      expect(lines.join('\n')).toMatch(/stopped in the middle of a long message/)
    },
  )
})

/** A server of HTTP+SSE by hand. */
async function halfSse() {
  let stream: ServerResponse | undefined
  const say = (data: string): void => void stream?.write(data)
  const answer = (id: unknown, result: object): void =>
    say(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
  const facts = {
    protocolVersion: '2024-11-05',
    capabilities: { tools: {} },
    serverInfo: { name: 's', version: '1' },
  }
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      stream = response
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return say('event: endpoint\ndata: /post\n\n')
    }
    let body = ''
    for await (const chunk of request) body += chunk
    response.writeHead(202).end()
    const { id, method } = JSON.parse(body)
    if (method === 'initialize') answer(id, facts)
    if (method === 'tools/list') answer(id, { tools: [{ name: 'half', inputSchema: { type: 'object' } }] })
    if (method === 'tools/call') say(`data: {"jsonrpc":"2.0","id":${id},${HALF}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
