import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const OFFICIAL = fileURLToPath(
  new URL('../../packages/mcp/src/client/fixtures/official-server.mjs', import.meta.url),
)
const require = createRequire(import.meta.url)
const installed = (name: string): string =>
  join(require.resolve(`@modelcontextprotocol/${name}/package.json`), '..', 'dist', 'index.js')
const node = (...args: string[]): object => ({ command: process.execPath, args })

let gateway: TestGateway
let files: string

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'gantry-files-'))
  await writeFile(join(files, 'hello.txt'), 'hello from a file')
  gateway = await testGateway({
    mcpServers: {
      one: node(OFFICIAL, '1', 'stdio'),
      two: node(OFFICIAL, '2', 'stdio'),
      everything: node(installed('server-everything'), 'stdio'),
      files: node(installed('server-filesystem'), files),
      memory: { ...node(installed('server-memory')), env: { MEMORY_FILE_PATH: join(files, 'memory.json') } },
    },
  })
})
afterAll(async () => {
  await gateway.close()
  await rm(files, { recursive: true, force: true })
})

interface Caller {
  names(): Promise<string[]>
  call(name: string, args?: object): Promise<{ content: { text?: string }[]; isError?: boolean }>
  close(): Promise<void>
}

const info = { name: 'official', version: '1' }
const answer = { action: 'accept' as const, content: { name: 'Ada', age: 36 } }

async function official1(transport: 'http' | 'sse'): Promise<Caller> {
  const client = new Client1(info, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => answer)
  const url = new URL(gateway.endpoint)
  // biome-ignore lint/suspicious/noExplicitAny: the official types do not allow exact optional properties
  await client.connect((transport === 'http' ? new Http1(url) : new Sse1(url)) as any)
  return {
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: { ...args } })) as never,
    close: () => client.close(),
  }
}

async function official2(mode: 'legacy' | 'auto' | { pin: string }): Promise<Caller> {
  const client = new Client2(info, { capabilities: { elicitation: {} }, versionNegotiation: { mode } })
  client.setRequestHandler('elicitation/create', () => answer)
  await client.connect(new Http2(new URL(gateway.endpoint)))
  return {
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: { ...args } })) as never,
    close: () => client.close(),
  }
}

describe.each([
  ['1.32 over Streamable HTTP', () => official1('http')],
  ['1.32 over HTTP+SSE', () => official1('sse')],
  ['2.4, legacy', () => official2('legacy')],
  ['2.4, finding out', () => official2('auto')],
  ['2.4, modern', () => official2({ pin: '2026-07-28' })],
])('the official client %s', (_name, open) => {
  let client: Caller
  beforeAll(async () => {
    client = await open()
  })
  afterAll(() => client.close())

  it('sees the tools of five servers behind one endpoint', async () => {
    const names = ['one_add', 'two_add', 'everything_echo', 'files_list_directory', 'memory_read_graph']
    await expect.poll(client.names).toEqual(expect.arrayContaining(names))
  })

  it('calls each of them', async () => {
    expect((await client.call('one_add', { a: 2, b: 3 })).content[0]?.text).toBe('5')
    expect((await client.call('two_add', { a: 4, b: 5 })).content[0]?.text).toBe('9')
    expect((await client.call('everything_echo', { message: 'hi' })).content[0]?.text).toContain('hi')
    const read = await client.call('files_read_text_file', { path: join(files, 'hello.txt') })
    expect(read.content[0]?.text).toContain('hello from a file')
    expect((await client.call('memory_read_graph')).isError).toBeFalsy()
  })

  it.each(['one', 'two'])('answers a question of the server "%s"', async (target) => {
    expect((await client.call(`${target}_greet`)).content[0]?.text).toBe('Hello Ada, 36')
  })
})
