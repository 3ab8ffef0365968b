import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const VERSION = '2026-07-28'
const SERVER_INFO = { name: 'bank', version: '1' }
const schema = { type: 'object', properties: { amount: { type: 'number' } } }
const ANSWERS: Record<string, object> = {
  'server/discover': {
    supportedVersions: [VERSION],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'public',
  },
  'tools/list': { tools: [{ name: 'refund', inputSchema: schema }], ttlMs: 0, cacheScope: 'public' },
  'tools/call': { content: [] },
}

/** The texts of the calls that the target got. */
let got: string[] = []
let target: HttpServer
let gateway: TestGateway

beforeAll(async () => {
  target = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, method } = JSON.parse(text)
    if (method === 'tools/call') got.push(text)
    const result = {
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
      ...ANSWERS[method],
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => target.once('listening', resolve))
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/mcp`
  gateway = await testGateway({
    mcpServers: { bank: { url, prefix: false } },
    policy: {
      default: 'deny',
      rules: [
        { allow: ['tools:bank/refund'], when: 'view != "" || args.amount <= 500' },
        { deny: ['tools:bank/refund'], when: 'view == "open" && args.amount > 500' },
      ],
    },
    views: {
      open: { use: ['bank/*'] },
      desk: {
        use: ['bank/*'],
        tools: { 'bank/refund': { parameters: { amount: { maximum: 500 } } } },
      },
    },
  })
})
afterAll(async () => {
  await gateway.close()
  target.close()
})

/** Calls with arguments as text, and returns what the target got of them. */
async function given(args: string, path = ''): Promise<string | undefined> {
  got = []
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refund","_meta":${JSON.stringify(meta)},"arguments":${args}}}`
  const response = await fetch(`${gateway.endpoint}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': 'refund',
    },
    body,
  })
  await response.text()
  return got[0]
}

/** The largest amount that a generous server could read: any of several members, in any case, also as a text. */
function largest(text: string): number {
  const found = [...text.matchAll(/"\s*(?:a|A|\\u0061|ａ)mount[^"]*"\s*:\s*("[^"]*"|\[?[-\d.eE+]+)/giu)]
  return Math.max(...found.map(([, value]) => Number(value!.replaceAll(/["[]/g, ''))))
}

const HOSTILE = [
  '{"amount":1,"amount":900}',
  '{"amount":900,"amount":1}',
  '{"\\u0061mount":900,"amount":1}',
  '{"amount":1,"Amount":900}',
  '{"amount":1,"AMOUNT":900,"amount ":900}',
  '{"amount":1,"ａmount":900}',
  '{"amount":"900"}',
  '{"amount":[900]}',
  '{"amount":1e400}',
  '{"amount":9e2}',
  '{"amount":500.00000000000000001}',
  '{"amount":9007199254740993}',
  '{"amount":123456789012345678901234567890}',
  '{"__proto__":{"amount":1},"amount":900}',
  '{"__proto__":{"amount":1}}',
  '{"amount":null}',
  '{"amount":true}',
  '[{"amount":900}]',
  '"{\\"amount\\":900}"',
  `{"amount":1,"more":${'['.repeat(10_000)}${']'.repeat(10_000)},"amount":900}`,
  `{"amount":900,"more":"${'x'.repeat(10 * 1024 * 1024)}"}`,
]

describe.each([
  ['a rule that allows', ''],
  ['a rule that denies', '/open'],
  ['a view', '/desk'],
])('what %s saw of arguments is what the target gets', (_what, path) => {
  it.each(HOSTILE.map((args) => [args.slice(0, 60), args]))('%s', async (_shown, args) => {
    const text = await given(args, path)
    if (text === undefined) return
    expect(largest(text)).toBeLessThanOrEqual(500)
    expect(text.match(/mount/g)).toHaveLength(1)
  })

  it.each(['{"amount":500}', '{"amount":499.99}', '{"amount":5e2}', '{"amount":1,"note":"x"}'])(
    '%s goes through',
    async (args) => {
      const text = await given(args, path)
      expect(text).toContain(args)
    },
  )
})
