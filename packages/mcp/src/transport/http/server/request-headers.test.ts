import { expect, it } from 'vitest'
import { acceptsStream, prefersStream, refuseForeign } from './request-headers.ts'
import { Server, tool, type ToolDefinition } from '../../../server/index.ts'
import { toFetchHandler } from './fetch-handler.ts'

it.each([
  [undefined, true, false],
  ['*/*', true, false],
  ['application/json', false, false],
  ['application/json, text/event-stream', true, false],
  ['text/event-stream, application/json', true, true],
  ['text/event-stream', true, true],
  ['text/event-stream; charset=utf-8', true, true],
  ['text/event-stream;q=0.5, application/json', true, false],
  ['application/json;q=0.5, text/event-stream;q=0.9', true, true],
  ['*/*, text/event-stream', true, false],
  ['text/event-stream;q=many, application/json;q=', true, false],
])('%s: accepts a stream %s, prefers one %s', (accept, accepts, prefers) => {
  expect(acceptsStream(accept)).toBe(accepts)
  expect(prefersStream(accept)).toBe(prefers)
})

it.each([
  ['localhost', true],
  ['LOCALHOST:8080', true],
  ['[::1]:1', true],
  ['127.0.0.1:', true],
  ['own.example:443', true],
  ['evil.example', false],
  ['evil.example:80', false],
  ['localhost.', false],
  ['localhost.evil.example', false],
  ['localhost:1@evil.example', false],
  ['own.example@evil.example', false],
  ['[::1].evil.example', false],
  ['[::1', false],
  ['localhost, evil.example', false],
  ['', false],
])('a request for the host "%s" is let in: %s', (host, isLetIn) => {
  const allowedHosts = ['localhost', '127.0.0.1', '[::1]', 'own.example']
  expect(refuseForeign({ host }, { allowedHosts }) === undefined).toBe(isLetIn)
  expect(refuseForeign({ host }, { allowedHosts: ['*'] })).toBeUndefined()
})

const REGION = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
} as const

function regional(hidden: Partial<ToolDefinition> = {}) {
  return tool({ ...(hidden as object), input: REGION, run: () => 'done' })
}

const app = new Server({
  name: 's',
  tools: {
    open: regional(),
    scoped: regional({ scopes: ['admin'] }),
    forFriends: regional({ when: ({ serverContext }) => serverContext === 'friend' }),
    forTheirClient: regional({ when: ({ client }) => client.info?.name === 'theirs' }),
  },
})

async function call(name: string, { version = '2026-07-28', context = 'nobody', client = 'c' } = {}) {
  const handler = toFetchHandler(app, { serverContext: () => context })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: client, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name, arguments: { region: 'eu' }, _meta }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const response = await handler(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }))
  const text = (await response.text()).replaceAll(name, 'NAME')
  handler.close()
  return { status: response.status, text }
}

it.each(['scoped', 'forFriends', 'forTheirClient'])(
  'a missing Mcp-Param header does not tell %s from a tool that does not exist',
  async (name) => {
    expect(await call(name)).toEqual(await call('missing'))
    const unsupported = { version: '2099-01-01' }
    expect(await call(name, unsupported)).toEqual(await call('missing', unsupported))
  },
)

it.each([
  ['open', {}],
  ['forFriends', { context: 'friend' }],
  ['forTheirClient', { client: 'theirs' }],
] as const)('%s insists on its header for those who see it', async (name, options) => {
  const { status, text } = await call(name, options)
  expect([status, text]).toEqual([400, expect.stringContaining('Mcp-Param-Region is missing')])
})
