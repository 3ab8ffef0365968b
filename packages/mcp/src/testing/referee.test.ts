import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { Client } from '../client/index.ts'
import { LATEST_LEGACY, LATEST_MODERN } from '../protocol/index.ts'
import { Server, tool } from '../server/index.ts'
import { HttpHost } from '../transport/fixtures/http-hosts.test.node.ts'
import { memory } from '../transport/memory.ts'
import { envelope } from './fixtures/both-eras.test.support.ts'
import { checksDone, expectObjections, settleObjections } from './fixtures/objections.test.support.ts'
import { officialProblems } from './fixtures/official-schemas.test.node.ts'
import { RawPeer, until } from './fixtures/raw-peer.test.support.ts'

/** A server that answers every call with what no revision knows. */
function wrong(): Server {
  const app = new Server({ name: 'wrong', tools: { t: tool({ run: () => 'right' }) } }) as Server
  app.use(async (exchange, next) => {
    if (exchange.method !== 'tools/call') return next()
    exchange.notify({ method: 'notifications/message', params: { level: 'loud', data: '' } })
    return { type: 'complete', result: { content: 'not a list' } }
  })
  return app
}

const NOT_A_LIST = /Not a message of \S+ CallToolResult\/content: must be array/

it.each([LATEST_LEGACY, LATEST_MODERN])('objects to what a server says in memory at %s', async (revision) => {
  const client = new Client({ connector: memory(wrong()), protocolVersion: revision })
  await client.request('tools/call', { name: 't' })
  await client.close()
  expect(settleObjections).toThrow(NOT_A_LIST)
})

it('objects to what a server says on lines, unasked as well', async () => {
  const peer = new RawPeer(wrong())
  await peer.handshake()
  await peer.request('logging/setLevel', { level: 'debug' })
  await peer.request('tools/call', { name: 't' })
  await until(() => peer.heardOf('notifications/message').length > 0)
  peer.close()
  expect(settleObjections).toThrow(/LoggingMessageNotification\/params\/level.*CallToolResult\/content/s)
})

it('objects to what a server answers without a connection', async () => {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', ...envelope() } }
  await wrong().handle(request)
  expect(settleObjections).toThrow(NOT_A_LIST)
  await wrong().handleJson(JSON.stringify(request))
  expect(settleObjections).toThrow(NOT_A_LIST)
})

it.each(['node', 'fetch'] as const)('objects to what a server says over HTTP (%s)', async (kind) => {
  await using host = await HttpHost.open(kind, wrong())
  await (await host.modern('tools/call', { name: 't' })).text()
  expect(settleObjections).toThrow(NOT_A_LIST)
  const session = await host.session('2025-06-18')
  await (
    await host.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't' } }, session)
  ).text()
  expect(settleObjections).toThrow(/Not a message of 2025-06-18: CallToolResult\/content/)
})

it('objects to what a client says', async () => {
  const app = new Server({ name: 'right', tools: { t: tool({ run: () => 'right' }) } })
  const client = new Client({ connector: memory(app) })
  await client.request('tools/call', { name: 7 }).catch(() => {})
  await client.close()
  expect(settleObjections).toThrow(
    /Not a message of 2026-07-28: CallToolRequest\/params\/name: must be string/,
  )
})

it('objects to what a server says in another process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'referee-'))
  const script = join(folder, 'server.mjs')
  const answer = { jsonrpc: '2.0', id: 1, result: { tools: 7 } }
  writeFileSync(
    script,
    `// Like one of '@gantry/mcp/server'\nprocess.stdin.once('data', () => console.log('${JSON.stringify(answer)}'))`,
  )
  const child = spawn(process.execPath, [script])
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
  expect(JSON.parse(await text(child.stdout))).toEqual(answer)
  rmSync(folder, { recursive: true })
  await checksDone()
  expect(settleObjections).toThrow(/Not a message of 2025-11-25: ListToolsResult\/tools: must be array/)
})

it.each([
  ['tasks', { type: 'task', task: { taskId: 't', status: 'busy' } }, /tasks: status/],
  [
    'apps',
    { type: 'complete', result: { tools: [uiTool({ resourceUri: 7 })] } },
    /McpUiToolMeta\/resourceUri/,
  ],
  ['skills', { type: 'complete', result: { skills: [{ uri: 'skill://x' }] } }, /not that of its SKILL\.md/],
] as const)('knows the extension %s', async (extension, outcome, problem) => {
  const app = new Server({ name: 'wrong' }) as Server
  app.use(() => outcome as never)
  const method = { tasks: 'tools/call', apps: 'tools/list', skills: 'skills/list' }[extension]
  await app.handle({ jsonrpc: '2.0', id: 1, method, params: { name: 't', ...envelope() } })
  expect(settleObjections).toThrow(problem)
})

function uiTool(ui: object): object {
  return { name: 't', inputSchema: { type: 'object' }, _meta: { ui } }
}

it('objects where a deliberate mistake is not made, or is another', async () => {
  expectObjections(NOT_A_LIST, 'says nothing at all')
  expect(settleObjections).toThrow('though the test says nothing at all')
  expectObjections(/something else/, 'says the wrong thing wrongly')
  await wrong().handle({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', ...envelope() } })
  expect(settleObjections).toThrow(NOT_A_LIST)
})

it('tells 2024-11-05 from 2025-03-26', () => {
  const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }
  const answer = { jsonrpc: '2.0', id: 1, result: { content: [audio] } }
  expect(officialProblems('2025-03-26', answer, 'tools/call')).toEqual([])
  expect(officialProblems('2024-11-05', answer, 'tools/call')).not.toEqual([])
  const text = { ...answer, result: { content: [{ type: 'text', text: 'hello' }] } }
  expect(officialProblems('2024-11-05', text, 'tools/call')).toEqual([])
})
