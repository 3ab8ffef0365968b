import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OfficialHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client, type ConnectOptions } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { openOfficial1 } from '../interop/support/official-1.ts'
import { createApp } from '../interop/fixtures/everything-app.mjs'
import { serveHttp } from '../support/http-targets.ts'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { rawTarget, readRecord } from '../support/raw-target.ts'
import { scriptedTarget, type ScriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const LEGACY = ['2025-06-18', '2025-11-25']
const MODERN = ['2026-07-28']
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function gatewayOf(mcpServers: object): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers })
  closing.push(() => gateway.close())
  return gateway
}

async function served(app: Server): Promise<{ url: string }> {
  const target = await serveHttp(app)
  closing.push(() => target.close())
  return target
}

async function scripted(...script: Parameters<typeof scriptedTarget>): Promise<ScriptedTarget> {
  const target = await scriptedTarget(...script)
  closing.push(() => target.close())
  return target
}

async function open(gateway: TestGateway, options: ConnectOptions): Promise<Client> {
  const client = await connect(gateway.endpoint, options)
  closing.push(() => client.close())
  return client
}

describe('a result that needs no change', () => {
  // What a parser and a writer would make something else of.
  const RESULT =
    '{"resultType":"complete", "content":[{"type":"text","text":"\\u00e9\\/"}],"big":12345678901234567890,"n":1.0,"e":1E2}'

  it('reaches a modern client byte by byte', async () => {
    const { url } = await scripted({
      'tools/call': ({ id, response }) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(`{"jsonrpc":"2.0","id":${id},"result":${RESULT}}`)
        return undefined
      },
    })
    const gateway = await gatewayOf({ web: { url }, other: { url } })
    const { text } = await modernRequest(gateway.endpoint, 'tools/call', { name: 'web_echo' })
    // Nothing but our own name is put in front of it.
    expect(text.endsWith(`,${RESULT.slice(1)}}`)).toBe(true)
    expect(text.length - RESULT.length).toBeLessThan(150)
  })
})

describe('sampling with tools', () => {
  const cells = (['legacy', 'modern'] as const).flatMap((era) =>
    [LEGACY, MODERN].map((revisions) => [era, revisions] as const),
  )

  it.each(cells)('lets a %s client use tools that a %s server offers its model', async (era, revisions) => {
    const weather = { name: 'weather', inputSchema: { type: 'object' as const } }
    const use = { type: 'tool_use' as const, id: 'u1', name: 'weather', input: { city: 'Pau' } }
    const app = new Server({
      name: 'sampler',
      revisions: revisions as never,
      tools: {
        think: tool({
          run: async (_args, ctx) => {
            const messages = [{ role: 'user', content: { type: 'text', text: 'Weather?' } }]
            const asked = { messages, maxTokens: 10, tools: [weather], toolChoice: { mode: 'required' } }
            const answer = await ctx.sample(asked as never)
            return JSON.stringify([answer.stopReason, answer.content])
          },
        }),
      },
    })
    const gateway = await gatewayOf({ s: { url: (await served(app)).url } })
    let asked: unknown
    const client = await open(gateway, {
      era,
      capabilities: { sampling: { tools: {} } },
      sample: (params) => {
        asked = params
        return { role: 'assistant', model: 'm', stopReason: 'toolUse', content: [use] } as never
      },
    })
    expect(JSON.parse((await client.call('s_think')).text())).toEqual(['toolUse', [use]])
    expect(asked).toMatchObject({ tools: [weather], toolChoice: { mode: 'required' } })
  })
})

describe('a method that nobody knows', () => {
  it('reaches a target at its own endpoint, with unknown members, and back', async () => {
    const web = await scripted({
      'acme/count': ({ params }) => ({ counted: params.things, more: { kept: [1, null] } }),
    })
    const gateway = await gatewayOf({ web: { url: web.url }, other: { url: web.url } })
    const params = { things: 3, odd: { kept: true } }
    const alone = `${gateway.endpoint}/web`
    const { result } = (await modernRequest(alone, 'acme/count', params)).message
    expect(result).toMatchObject({ counted: 3, more: { kept: [1, null] } })
    expect(web.calls.find((one) => one.method === 'acme/count')).toMatchObject({ params })
    const session = await openSession(alone)
    const legacy = await legacyRequest(alone, 'acme/count', params, { session })
    expect(legacy.message.result).toMatchObject({ counted: 3 })
    const everywhere = await modernRequest(gateway.endpoint, 'acme/count', params)
    expect(everywhere.message.error).toMatchObject({ code: -32601 })
  })
})

describe('a page that a legacy server sends a user to', () => {
  it('is reported as done to the client that was sent there, and to no other', async () => {
    const gateway = await gatewayOf({ raw: rawTarget({ pages: true }) })
    const done: Record<string, string[]> = { one: [], two: [] }
    const openOfficial = async (heard: string[]) => {
      const client = new OfficialClient(
        { name: 'x', version: '1' },
        { capabilities: { elicitation: { url: {} } } },
      )
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' }))
      client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
        heard.push(params.elicitationId)
      })
      // biome-ignore lint/suspicious/noExplicitAny: the official types do not allow exact optional properties
      await client.connect(new OfficialHttp(new URL(gateway.endpoint)) as any)
      closing.push(() => client.close())
      return client
    }
    const [one] = await Promise.all([openOfficial(done.one!), openOfficial(done.two!)])
    const result = await one.callTool({ name: 'raw_visit', arguments: {} })
    const [{ text }] = result.content as [{ text: string }]
    expect(text).toMatch(/^accept page-\d+$/)
    await expect.poll(() => done.one).toEqual([text.split(' ')[1]])
    expect(done.two).toEqual([])
  })

  it('is no news for modern clients, which do not know that message', async () => {
    const gateway = await gatewayOf({ raw: rawTarget({ pages: true }) })
    const client = await open(gateway, { era: 'modern', elicit: () => ({ action: 'accept' }) })
    const heard: string[] = []
    client.on('notification', ({ method }) => heard.push(method))
    expect((await client.call('raw_visit')).text()).toMatch(/^accept page-\d+$/)
    expect(heard).toEqual([])
  })
})

it('a cancellation goes to the target that works, and to no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-relay-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const records = { a: join(folder, 'a'), b: join(folder, 'b') }
  const gateway = await gatewayOf({
    a: rawTarget({ record: records.a }),
    b: rawTarget({ record: records.b }),
  })
  const client = await open(gateway, {})
  const abort = new AbortController()
  const cancelled = client.call('a_hang', {}, { signal: abort.signal }).catch(() => 'cancelled')
  const other = client.call('b_late', { nonce: 'stays', ms: 1000 })
  const seen = async (file: string, method: string) =>
    (await readRecord(file)).filter(({ message }) => message.method === method)
  await expect.poll(async () => (await seen(records.a, 'tools/call')).length).toBe(1)
  await expect.poll(async () => (await seen(records.b, 'tools/call')).length).toBe(1)
  abort.abort()
  expect(await cancelled).toBe('cancelled')
  const [call] = await seen(records.a, 'tools/call')
  const told = async () => (await seen(records.a, 'notifications/cancelled'))[0]?.message.params?.requestId
  await expect.poll(told).toBe(call!.message.id)
  expect((await other).text()).toBe('stays')
  expect(await seen(records.b, 'notifications/cancelled')).toEqual([])
})

it.each([
  ['legacy', LEGACY],
  ['modern', MODERN],
])('two sessions on one %s server each get the log messages that they want', async (_era, revisions) => {
  const { url } = await served(createApp({ revisions }) as Server)
  const gateway = await gatewayOf({ e: { url } })
  const [loud, quiet] = await Promise.all([
    openOfficial1({ kind: 'http', url: gateway.endpoint }),
    openOfficial1({ kind: 'http', url: gateway.endpoint }),
  ])
  closing.push(() => Promise.all([loud.close(), quiet.close()]))
  await loud.setLogLevel('debug')
  await quiet.setLogLevel('error')
  await Promise.all([loud.call('e_speak'), quiet.call('e_speak')])
  await quiet.call('e_speak')
  await expect.poll(() => loud.logs.map(({ level }) => level)).toEqual(['debug', 'warning'])
  expect(quiet.logs).toEqual([])
})
