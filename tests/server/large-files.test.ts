import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stdio } from '../../packages/mcp/src/entries/client.node.ts'
import { type Client, connect, type Connector, http, sse } from '../../packages/mcp/src/entries/client.ts'
import { memory } from '../../packages/mcp/src/entries/memory.ts'
import { toNodeHandler } from '../../packages/mcp/src/entries/server.node.ts'
import {
  Server,
  text,
  toFetchHandler,
  tool,
  Configuration,
  type Revision,
} from '../../packages/mcp/src/entries/server.ts'
import { bundle } from '../../packages/mcp/src/transport/fixtures/bundle.test.node.ts'
import { createFileServer } from './fixtures/file-tools.ts'

const MB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'gantry-files-'))
const pathOf = (name: string): string => join(folder, name)
// Not a multiple of three, nor of any chunk; text with everything that JSON escapes, cut in the middle of characters.
const bytes = Buffer.from(Array.from({ length: 400_001 }, (_, at) => (at * 31) % 251))
const words = 'Zeile "1"\n\u0001\\ 漢字 😀 '.repeat(8_000)
writeFileSync(pathOf('bytes'), bytes)
writeFileSync(pathOf('words'), words)
writeFileSync(pathOf('empty'), '')

let program: string
const server = createServer(toNodeHandler(createFileServer(pathOf)))
let origin: string
const toFetch = toFetchHandler(createFileServer(pathOf))

beforeAll(async () => {
  program = await bundle(new URL('fixtures/file-server.ts', import.meta.url))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const TRANSPORTS: Record<string, () => Connector> = {
  stdio: () => stdio(process.execPath, [program, 'stdio', folder]),
  'Node HTTP': () => http(`${origin}/mcp`),
  'Web HTTP': () =>
    http('http://127.0.0.1:9/mcp', { fetch: (url, init) => toFetch(new Request(url, init as RequestInit)) }),
  memory: () => memory(createFileServer(pathOf)),
}
const PEERS: [string, () => Connector, Revision][] = [
  ...Object.entries(TRANSPORTS).flatMap(([name, open]) =>
    (['2026-07-28', '2025-11-25'] as const).map((revision): [string, () => Connector, Revision] => [
      `${name}, ${revision}`,
      open,
      revision,
    ]),
  ),
  ['HTTP+SSE', () => sse(`${origin}/mcp`), '2024-11-05'],
]

interface Block {
  type: string
  text?: string
  data?: string
  resource?: { blob?: string }
}

const contentOf = async (client: Client, tool: string, name: string): Promise<Block[]> =>
  (await client.call(tool, { name }, { onProgress: () => {} })).raw.content as Block[]

/** Not by `toEqual`, which would take a minute to print a difference. */
const same = (base64: string | undefined): boolean => base64 === bytes.toString('base64')

describe.each(PEERS)('over %s', (_name, open, protocolVersion) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(open(), { protocolVersion })
  })
  afterAll(() => client.close())

  it('files arrive whole, from tools, resources and prompts, also side by side', async () => {
    const [[picture], told, [text], [embedded], [empty]] = await Promise.all([
      contentOf(client, 'picture', 'bytes'),
      contentOf(client, 'told', 'bytes'),
      contentOf(client, 'words', 'words'),
      contentOf(client, 'embedded', 'bytes'),
      contentOf(client, 'picture', 'empty'),
    ])
    expect(same(picture?.data)).toBe(true)
    expect(told.map(({ type }) => type)).toEqual(['text', 'image', 'text'])
    expect(same(told[1]?.data)).toBe(true)
    expect(text?.text === words).toBe(true)
    expect(same(embedded?.resource?.blob)).toBe(true)
    expect(empty?.data).toBe('')
    const [read] = (await client.readResource('files://bytes')).contents
    expect(same(read?.blob)).toBe(true)
    const [lines] = (await client.readResource('lines://words')).contents
    expect(lines).toMatchObject({ uri: 'lines://words', mimeType: 'text/plain' })
    expect(lines?.text === words).toBe(true)
    const { messages } = await client.getPrompt('look', { name: 'bytes' })
    expect(same((messages[0]!.content as Block).data)).toBe(true)
  })

  it('files that are missing or break off are errors, and not shorter files', async () => {
    expect((await client.call('picture', { name: 'missing' })).isError).toBe(true)
    // Found out when the stream is read, before anything is sent.
    await expect(client.call('embedded', { name: 'missing' })).rejects.toMatchObject({ code: -32603 })
    await expect(client.call('broken', { name: 'bytes' })).rejects.toThrow()
    const asEvents = client.call('broken', { name: 'bytes' }, { onProgress: () => {} })
    await expect(asEvents).rejects.toMatchObject({ code: -32603 })
    expect((await client.call('pong')).text()).toBe('pong')
  })

  it('pieces of ctx.stream come as they are made, and the whole at the end', async () => {
    const pieces: unknown[] = []
    const result = await client.call('story', {}, { onContent: (content) => pieces.push(content) })
    const whole = [
      { type: 'text', text: 'Once upon a time' },
      { type: 'image', data: 'AQ==', mimeType: 'image/png' },
      { type: 'text', text: 'The end' },
    ]
    expect(result.raw.content).toEqual(whole)
    const [, picture, end] = whole
    expect(pieces).toEqual([
      { type: 'text', text: 'Once ' },
      { type: 'text', text: 'upon a time' },
      picture,
      end,
    ])
  })
})

/** The server in a process of its own, to look at its memory. */
async function start(transport: 'stdio' | 'http'): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, [program, transport, folder])
  child.stderr.resume()
  await once(child, 'spawn')
  return child
}

/** The most memory that the process has ever had, in MB; it is only known where the kernel tells. */
function peakMemory({ pid }: ChildProcessWithoutNullStreams): number {
  const status = process.platform === 'linux' ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}

/** Reads an answer without keeping it. */
async function countUntilEnd(
  chunks: AsyncIterable<Uint8Array>,
  isEnd: (chunk: Uint8Array) => boolean,
): Promise<number> {
  let count = 0
  for await (const chunk of chunks) {
    count += chunk.length
    if (isEnd(chunk)) break
  }
  return count
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const request = (id: number, name: string, file: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: { name: file }, _meta: META },
  })

const post = (
  port: number,
  name: string,
  file: string,
  accept: string,
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: request(1, name, file),
    ...(signal && { signal }),
  })

const JSON_BODY = 'application/json, text/event-stream;q=0.5'
const EVENTS = 'text/event-stream, application/json;q=0.5'

describe('a file of 200 MB', () => {
  const LENGTH = 200 * MB
  /** In base64 it takes 267 MB. What Node reads and throws away is most of this. */
  const MOST = 120
  beforeAll(() => {
    writeFileSync(pathOf('large'), Buffer.alloc(LENGTH, 'x'))
  })

  it('takes no memory of its size over stdio', async () => {
    const child = await start('stdio')
    try {
      const hasNewline = (chunk: Uint8Array): boolean => chunk.includes(10)
      const stdout = { [Symbol.asyncIterator]: () => child.stdout.iterator({ destroyOnReturn: false }) }
      child.stdin.write(`${request(1, 'picture', 'bytes')}\n`)
      await countUntilEnd(stdout, hasNewline)
      const before = peakMemory(child)
      child.stdin.write(`${request(2, 'picture', 'large')}\n`)
      expect(await countUntilEnd(stdout, hasNewline)).toBeGreaterThan((LENGTH * 4) / 3)
      expect(peakMemory(child) - before).toBeLessThan(MOST)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it.each([
    ['JSON', JSON_BODY],
    ['events', EVENTS],
  ])('takes no memory of its size over HTTP, as %s, and none when its reader goes', async (_as, accept) => {
    const child = await start('http')
    try {
      const [line] = await once(child.stdout, 'data')
      const port = Number(String(line))
      const never = (): boolean => false
      await countUntilEnd((await post(port, 'picture', 'bytes', accept)).body!, never)
      const before = peakMemory(child)
      const answer = await post(port, 'picture', 'large', accept)
      expect(await countUntilEnd(answer.body!, never)).toBeGreaterThan((LENGTH * 4) / 3)
      expect(peakMemory(child) - before).toBeLessThan(MOST)
      const abort = new AbortController()
      const endless = await post(port, 'endless', '', accept, abort.signal)
      await endless.body!.getReader().read()
      abort.abort()
      await expect
        .poll(async () => await (await post(port, 'isReleased', '', JSON_BODY)).text(), { timeout: 20_000 })
        .toContain('true')
    } finally {
      child.kill('SIGKILL')
    }
  })
})

it('an official client reads the error behind a message that broke off, and goes on', async () => {
  const client = new OfficialClient({ name: 'official', version: '1.0.0' })
  const problems: string[] = []
  client.onerror = ({ message }) => problems.push(message)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, 'stdio', folder] }),
  )
  try {
    const broken = client.callTool({ name: 'broken', arguments: { name: 'bytes' } })
    await expect(broken).rejects.toMatchObject({ code: -32603 })
    expect(problems).toEqual([expect.stringMatching(/JSON/)])
    expect(await client.callTool({ name: 'pong' })).toMatchObject({ content: [{ text: 'pong' }] })
  } finally {
    await client.close()
  }
})

it('streams that were sent before, and streams elsewhere in a result, are errors that say so', async () => {
  const told: string[] = []
  async function* once(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array([65])
  }
  const stream = once()
  const app = new Server({
    name: 's',
    configuration: new Configuration({ exceptionReporter: (thrown) => told.push(String(thrown)) }),
    tools: {
      again: tool({ run: () => text(stream) }),
      deep: tool({ run: () => ({ a: { b: text(once()) } }) }),
    },
  })
  await using client = await connect(memory(app))
  expect((await client.call('again')).text()).toBe('A')
  await expect(client.call('again')).rejects.toMatchObject({ code: -32603 })
  expect((await client.call('deep')).isError).toBe(true)
  expect(told).toEqual([expect.stringContaining('sent before'), expect.stringContaining('not elsewhere')])
})
