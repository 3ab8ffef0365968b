import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LEGACY_REVISIONS, REVISIONS, type Revision } from '../protocol/index.ts'
import { envelope } from '../testing/fixtures/both-eras.test.support.ts'
import { RawPeer } from '../testing/fixtures/raw-peer.test.support.ts'
import { configure, prompt, resource, Server, template, tool } from './index.ts'

function createApp(options: Partial<ConstructorParameters<typeof Server>[0]> = {}): Server {
  return new Server({
    name: 'app',
    version: '1.2.3',
    tools: { echo: tool({ input: z.object({ text: z.string() }), run: ({ text }) => text }) },
    prompts: { hello: prompt({ arguments: { name: { complete: () => ['Ada'] } }, run: () => 'Hello' }) },
    resources: { note: resource({ uri: 'note://1', text: 'a note' }) },
    templates: { notes: template({ uriTemplate: 'note://{id}', read: ({ id }) => `note ${id}` }) },
    ...options,
  } as ConstructorParameters<typeof Server>[0]) as Server
}

const legacyInit = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
})

afterEach(() => {
  Server.protocolVersion = null
})

describe('a message without a transport', () => {
  it('a parsed message is answered, as a legacy client wrote it', async () => {
    expect(await createApp().handle({ jsonrpc: '2.0', id: 7, method: 'ping' })).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {},
    })
  })

  it('a parsed message is answered, as a modern client wrote it', async () => {
    const call = { name: 'echo', arguments: { text: 'hi' }, ...envelope() }
    expect(await createApp().handle({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: call })).toEqual(
      {
        jsonrpc: '2.0',
        id: 'a',
        result: {
          resultType: 'complete',
          content: [{ type: 'text', text: 'hi' }],
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'app', version: '1.2.3' } },
        },
      },
    )
  })

  it('text is answered with text, and a notification or a response with undefined', async () => {
    const app = createApp()
    expect(await app.handleJson('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    )
    expect(await app.handleJson('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toBeUndefined()
    expect(await app.handleJson('{"jsonrpc":"2.0","id":1,"result":{}}')).toBeUndefined()
    expect(await app.handleJson('{"jsonrpc":"2.0","id":1,"result":7}')).toBeUndefined()
  })

  it('listening needs a connection, and says so instead of never answering', async () => {
    const params = { notifications: { toolsListChanged: true }, ...envelope() }
    const app = createApp()
    const answer = await app.handle({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
    expect(answer).toMatchObject({ error: { code: -32601 } })
    expect(app.listeners).toBe(0)
  })
})

describe('what is not a request', () => {
  it.each(['', '{', 'null,', '{"jsonrpc":"2.0",', '\u0000', '{"a":NaN}', '"\ud800', '[1,]'])(
    'malformed JSON %j is answered −32700 with id null',
    async (text) => {
      expect(JSON.parse((await createApp().handleJson(text))!)).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32700, message: 'Parse error: the message is not valid JSON' },
      })
    },
  )

  it.each([
    ['null', null],
    ['7', null],
    ['"text"', null],
    ['[]', null],
    ['{}', null],
    ['{"id":5}', 5],
    ['{"jsonrpc":"1.0","id":5,"method":"ping"}', 5],
    ['{"jsonrpc":"2.0","id":"x","method":7}', 'x'],
    ['{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}', 5],
    ['{"jsonrpc":"2.0","id":5,"method":"ping","params":"x"}', 5],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":true,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', null],
  ])('%s is answered −32600 with its id when it can be read', async (text, id) => {
    expect(JSON.parse((await createApp().handleJson(text))!)).toMatchObject({
      jsonrpc: '2.0',
      id,
      error: { code: -32600 },
    })
  })

  it.each(['0', '-1', '""', '"__proto__"', '9007199254740991', '1.0', '1e2', '"\u2028"'])(
    'the exotic id %s is an id',
    async (id) => {
      const answer = await createApp().handleJson(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
      expect(JSON.parse(answer!)).toEqual({ jsonrpc: '2.0', id: JSON.parse(id), result: {} })
    },
  )
})

describe('initialize', () => {
  it.each(LEGACY_REVISIONS)('echoes %s', async (revision) => {
    expect(await createApp().handle(legacyInit(revision))).toMatchObject({
      result: { protocolVersion: revision, serverInfo: { name: 'app', version: '1.2.3' } },
    })
  })

  it.each(['2026-07-28', '1999-01-01', '', 'DRAFT-2026-v1'])(
    'answers %j with the newest legacy revision, never a modern one',
    async (version) => {
      expect(await createApp().handle(legacyInit(version))).toMatchObject({
        result: { protocolVersion: '2025-11-25' },
      })
    },
  )

  it.each(['protocolVersion', 'capabilities', 'clientInfo'])(
    'without %s → −32602 naming it',
    async (member) => {
      const message = legacyInit('2025-11-25')
      for (const value of [undefined, null, 7, []]) {
        const params = { ...message.params, [member]: value }
        expect(await createApp().handle({ ...message, params })).toMatchObject({
          error: { code: -32602, message: expect.stringContaining(member) },
        })
      }
      expect(await createApp().handle({ jsonrpc: '2.0', id: 1, method: 'initialize' })).toMatchObject({
        error: { code: -32602 },
      })
    },
  )
})

const LEGACY_ONLY = ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'initialize']
const MODERN_ONLY = ['server/discover', 'subscriptions/listen']
const PARAMS: Record<string, object> = {
  'tools/call': { name: 'echo', arguments: { text: 'x' } },
  'prompts/get': { name: 'hello' },
  'resources/read': { uri: 'note://1' },
  'completion/complete': {
    ref: { type: 'ref/prompt', name: 'hello' },
    argument: { name: 'name', value: '' },
  },
  'logging/setLevel': { level: 'error' },
  'resources/subscribe': { uri: 'note://1' },
  'resources/unsubscribe': { uri: 'note://1' },
}
const EVERYWHERE = [
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'completion/complete',
]

describe.each(REVISIONS)('methods at %s', (revision: Revision) => {
  const isModern = revision === '2026-07-28'

  async function ask(method: string, params: object = {}): Promise<unknown> {
    const peer = new RawPeer(createApp())
    if (isModern) return peer.modern(method, params)
    await peer.handshake(revision)
    return peer.request(method, params)
  }

  it.each(EVERYWHERE)('%s is there', async (method) => {
    expect(await ask(method, PARAMS[method])).toHaveProperty('result')
  })

  it.each(LEGACY_ONLY.slice(0, 4))('%s is there on legacy only', async (method) => {
    const answer = await ask(method, PARAMS[method])
    if (!isModern) expect(answer).toMatchObject({ result: {} })
    else expect(answer).toMatchObject({ error: { code: -32601, message: `Method not found: ${method}` } })
  })

  it.each(MODERN_ONLY)('%s is there on modern only', async (method) => {
    if (isModern) {
      if (method === 'server/discover') expect(await ask(method)).toHaveProperty('result.supportedVersions')
      return
    }
    expect(await ask(method, { notifications: {} })).toMatchObject({
      error: { code: -32601, message: `Method not found: ${method}` },
    })
  })

  it.each(['nope', 'tools/callx', 'constructor', '__proto__', ''])('%j is nowhere', async (method) => {
    expect(await ask(method)).toMatchObject({
      error: { code: -32601, message: `Method not found: ${method}` },
    })
  })

  it('what is not registered is neither declared nor answered', async () => {
    const bare = new Server({ name: 'bare' })
    const peer = new RawPeer(bare)
    const declared = isModern
      ? ((await peer.modern('server/discover')) as { result: { capabilities: object } }).result.capabilities
      : ((await peer.handshake(revision)) as { result: { capabilities: object } }).result.capabilities
    expect(declared).toEqual({ logging: {} })
    for (const method of EVERYWHERE) {
      const answer = await (isModern
        ? peer.modern(method, PARAMS[method])
        : peer.request(method, PARAMS[method]))
      expect(answer).toMatchObject({ error: { code: -32601, message: `Method not found: ${method}` } })
    }
  })

  it('what is registered is declared', async () => {
    const peer = new RawPeer(createApp())
    const { result } = (isModern ? await peer.modern('server/discover') : await peer.handshake(revision)) as {
      result: { capabilities: object }
    }
    expect(result.capabilities).toEqual({
      logging: {},
      ...(revision >= '2025-03-26' && { completions: {} }),
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    })
  })
})

describe('a pinned revision', () => {
  it('pins servers made afterwards, and null takes the pin away', async () => {
    Server.protocolVersion = '2024-11-05'
    const pinned = createApp()
    Server.protocolVersion = null
    const free = createApp()
    expect(await pinned.handle(legacyInit('2025-11-25'))).toMatchObject({
      result: { protocolVersion: '2024-11-05' },
    })
    expect(await free.handle(legacyInit('2025-11-25'))).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    })
  })

  it('an unsupported version throws and names the supported ones', () => {
    const bad = '1999-01-01' as Revision
    expect(() => {
      Server.protocolVersion = bad
    }).toThrow(/2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28/)
    expect(() => configure((c) => (c.protocolVersion = bad))).toThrow(/2026-07-28/)
    expect(Server.protocolVersion).toBeNull()
  })

  it('what the pinned revision does not know is dropped, handshake or not', async () => {
    const app = createApp({
      configuration: { protocolVersion: '2024-11-05' },
      tools: { t: tool({ title: 'T', output: z.object({}), readOnlyHint: true, run: () => ({}) }) },
    })
    expect(await app.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] },
    })
  })

  it('a server pinned to a legacy revision has no modern methods', async () => {
    const app = createApp({ configuration: { protocolVersion: '2025-06-18' } })
    expect(
      await app.handle({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: envelope() }),
    ).toMatchObject({ error: { code: -32601 } })
  })

  it('a server pinned to the modern revision refuses legacy requests and names what it speaks', async () => {
    const app = createApp({ revisions: ['2026-07-28'] })
    expect(await app.handle(legacyInit('2025-11-25'))).toMatchObject({
      error: { code: -32601, message: expect.stringContaining('2026-07-28') },
    })
    expect(await app.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('protocolVersion') },
    })
  })
})

describe('the envelope', () => {
  it.each([
    ['io.modelcontextprotocol/protocolVersion', undefined, -32602],
    ['io.modelcontextprotocol/clientCapabilities', undefined, -32602],
    ['io.modelcontextprotocol/clientCapabilities', [], -32602],
    ['io.modelcontextprotocol/logLevel', 'loud', -32602],
  ])('%s %j is refused', async (key, value, code) => {
    const { _meta } = envelope()
    const params = { _meta: { ..._meta, [key]: value } }
    const method = 'server/discover'
    expect(await createApp().handle({ jsonrpc: '2.0', id: 1, method, params })).toMatchObject({
      error: { code },
    })
  })

  it('an unknown version is −32022 with the supported ones, a missing clientInfo is fine', async () => {
    const key = 'io.modelcontextprotocol/protocolVersion'
    const { _meta } = envelope({}, { [key]: '2031-01-01' })
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }
    expect(await createApp().handle(request)).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2031-01-01' } },
    })
    const { 'io.modelcontextprotocol/clientInfo': _info, ...rest } = envelope()._meta
    expect(await createApp().handle({ ...request, params: { _meta: rest } })).toHaveProperty('result')
  })
})
