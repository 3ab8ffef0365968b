import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type Context, Server, tool } from './server.ts'
import { toNodeHandler } from './server.node.ts'
import { connect, type ConnectTarget } from './client.ts'

const script = fileURLToPath(new URL('../client/fixtures/line-server.mjs', import.meta.url))

it('a command, and an entry of mcpServers with one, start the server', async () => {
  const plain = { command: process.execPath, args: [script, 'modern'] }
  const written = JSON.parse(
    JSON.stringify({ type: 'stdio', ...plain, env: { A: '1' }, disabled: false, autoApprove: [] }),
  )
  for (const target of [plain, written]) {
    await using client = await connect(target)
    expect((await client.call('echo', { value: 'x' })).text()).toBe('x')
  }
})

it('an entry of mcpServers with a URL sends its headers, over the transport that it names', async () => {
  const seen: unknown[] = []
  const run = (_: unknown, { headers }: Context) => `hi ${headers.authorization ?? ''}`.trim()
  const app = new Server({ name: 'notes', tools: { hi: tool({ run }) } })
  const handler = toNodeHandler(app)
  const server = createServer((request, response) => {
    seen.push(request.headers['x-key'])
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  for (const type of [
    undefined,
    'http',
    'streamable-http',
    'streamableHttp',
    'streamable_http',
    'sse',
    'http',
  ]) {
    const entry = { ...(type && { type }), url, headers: { 'x-key': 'k' } }
    await using client = await connect(entry)
    expect((await client.call('hi')).text()).toBe('hi')
    expect(client.era).toBe(type === 'sse' ? 'legacy' : 'modern')
  }
  for (const address of [{ serverUrl: url }, { httpUrl: url }]) {
    const own = { authorization: 'mine' }
    for (const headers of [own, () => own]) {
      await using client = await connect({ ...address, headers: { 'x-key': 'k' } }, { http: { headers } })
      expect((await client.call('hi')).text()).toBe('hi mine')
    }
  }
  expect(new Set(seen)).toEqual(new Set(['k']))
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

it.each([
  [{ mcpServers: { notes: { command: 'x' } } }, /mcpServers\.notes/],
  [{ args: [] }, /command.*url/],
  [{ type: 'carrier-pigeon', url: 'http://127.0.0.1/' }, /carrier-pigeon/],
  [undefined, /command.*url/],
])('%j is refused with what to write', async (target, message) => {
  const connecting = connect(target as unknown as ConnectTarget)
  await expect(connecting).rejects.toMatchObject({
    code: 'invalid_config',
    message: expect.stringMatching(message),
  })
})
