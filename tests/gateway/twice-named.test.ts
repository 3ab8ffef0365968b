import { afterAll, describe, expect, it } from 'vitest'
import { legacyRequest, modernRequest } from '../support/raw-client.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { testGateway } from '../support/start-gateway.ts'

/** A text with a member twice: most readers take the last one, and some the first. */
const RESULTS: Record<string, string> = {
  masked: '{"content":[{"type":"text","text":"ann@example.com","text":"nobody"}]}',
  'masked in a list before':
    '{"content":[{"type":"text","text":"ann@example.com"}],"content":[{"type":"text","text":"nobody"}]}',
  'masked in structured content': '{"content":[],"structuredContent":{"a":"ann@example.com","a":"nobody"}}',
  'masked beside a long text': `{"content":[{"type":"text","text":"ann@example.com","text":"nobody"},{"type":"text","text":"${'x'.repeat(40_000)}"}]}`,
  'a secret in an error': '{"isError":true,"content":[{"type":"text","text":"SECRET","text":"failed"}]}',
}
const SECRET = 'the-secret-of-the-target-0815'

let raw = ''
const target = await scriptedTarget({
  'tools/call': ({ id, response }) => answer(id, response),
  'resources/read': ({ id, response }) => answer(id, response),
  'resources/list': () => ({
    resources: ['open', 'closed'].map((name) => ({ uri: `test://${name}`, name })),
  }),
})
function answer(id: unknown, response: { writeHead: Function; end: Function }): undefined {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"jsonrpc":"2.0","id":${id},"result":${raw.replace(/^\{/, '{"resultType":"complete",')}}`)
}
const gateway = await testGateway({
  mcpServers: { m: { url: target.url, headers: { 'x-api-key': SECRET } } },
  results: [{ mask: ['email'], for: ['tools:m/echo'] }],
  policy: { rules: [{ deny: ['resources:m/test://closed'] }] },
})
afterAll(async () => {
  await gateway.close()
  await target.close()
})

async function inSession(method: string, params: Record<string, unknown>): Promise<string> {
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const { headers } = await legacyRequest(gateway.endpoint, 'initialize', opening)
  const session = headers.get('mcp-session-id')!
  return (await legacyRequest(gateway.endpoint, method, params, { session })).text
}
const alone = async (method: string, params: Record<string, unknown>): Promise<string> =>
  (await modernRequest(gateway.endpoint, method, params as Record<string, unknown>)).text

describe.each([
  ['a modern', alone],
  ['a legacy', inSession],
])('for %s client', (_era, ask) => {
  it.each(Object.keys(RESULTS))('a member that stands twice hides nothing: %s', async (what) => {
    raw = RESULTS[what]!.replace('SECRET', SECRET)
    const text = await ask('tools/call', { name: 'm_echo', arguments: {} })
    expect(text).toMatch(/nobody|failed/)
    expect(text).not.toMatch(/ann@example|0815/)
  })

  it('a denied resource is not hidden behind another', async () => {
    raw =
      '{"contents":[{"uri":"test://closed","text":"closed text"}],"contents":[{"uri":"test://open","text":"open text"}]}'
    const text = await ask('resources/read', { uri: 'm+test://open' })
    expect(text).toContain('open text')
    expect(text).not.toContain('closed')
  })
})
