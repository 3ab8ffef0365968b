import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type Script, until } from '../exchange/client/client-edge-peer.test.support.ts'
import { ProtocolError } from '../jsonrpc/index.ts'
import { Client } from './client.ts'
import { scripted } from './scripted-connector.test.support.ts'
import { ToolCallError } from './tools.ts'

const never = () => new Promise(() => {})
const eras = ['modern', 'legacy'] as const

it('a misspelt option is refused: its question would never reach the user', () => {
  const options = { elict: () => ({ action: 'accept' as const }) }
  expect(() => new Client(options as object)).toThrow(
    'A client has no option "elict"; its options are name, ',
  )
})

describe.each(eras)('calls to a %s server', (era) => {
  const connect = (script: Script, options = {}) => {
    const connector = scripted(era, script, { capabilities: { tools: {} } })
    return { connector, client: new Client({ connector, ...options }) }
  }

  it('call returns the result, raw and readable', async () => {
    const result = {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: '', mimeType: 'image/png' },
        { type: 'text', text: 'b' },
      ],
      structuredContent: { n: 1 },
      odd: true,
    }
    const { client, connector } = connect(() => result)
    await using _ = client
    const answer = await client.call('x', { q: 1 })
    expect(answer.text()).toBe('a\nb')
    expect(answer.json()).toEqual({ n: 1 })
    expect(answer.raw).toEqual(result)
    expect(answer.isError).toBe(false)
    expect(connector.peer.of('tools/call')[0]?.params).toMatchObject({ name: 'x', arguments: { q: 1 } })
  })

  it('a failed tool is a result of call, and a ToolCallError of tools.NAME', async () => {
    const { client } = connect(() => ({ content: [{ type: 'text', text: 'no such note' }], isError: true }))
    await using _ = client
    expect((await client.call('publish')).isError).toBe(true)
    const failed = client.tools.publish?.({ id: '7' })
    await expect(failed).rejects.toBeInstanceOf(ToolCallError)
    await expect(failed).rejects.toMatchObject({ code: 'tool_failed', message: 'no such note' })
  })

  it('tools.NAME resolves with the structured content, or with the text', async () => {
    const { client } = connect(({ request }) =>
      request.params?.name === 'a'
        ? { content: [], structuredContent: { n: 1 } }
        : { content: [{ type: 'text', text: 'hi' }] },
    )
    await using _ = client
    expect(await client.tools.a?.()).toEqual({ n: 1 })
    expect(await client.tools.b?.()).toBe('hi')
    expect(await client.tools).toBe(client.tools)
  })

  it('is printed, compared and written as JSON without a call', async () => {
    const { client, connector } = connect(() => ({ content: [] }))
    await using _ = client
    await client.connect()
    expect(JSON.stringify({ client, tools: client.tools })).toBe('{"client":{"tools":{}},"tools":{}}')
    expect(`${client.tools}`).toBe('[object Tools]')
    expect(inspect(client.tools)).toBe('[Object: null prototype] {}')
    expect(client.tools).toEqual({})
    expect(connector.peer.of('tools/call')).toEqual([])
  })

  it('throws a protocol error with code and data', async () => {
    const { client } = connect(() => ({
      error: { code: -32602, message: 'Unknown tool: x', data: { a: 1 } },
    }))
    await using _ = client
    const failed = client.call('x')
    await expect(failed).rejects.toBeInstanceOf(ProtocolError)
    await expect(failed).rejects.toMatchObject({ code: -32602, data: { a: 1 } })
  })

  it('reports progress and logs of the call', async () => {
    const { client } = connect(({ request, notify }) => {
      if (request.method !== 'tools/call') return {}
      const meta = request.params?._meta as { progressToken: unknown }
      notify('notifications/progress', { progressToken: meta.progressToken, progress: 1, total: 2, x: 1 })
      notify('notifications/message', { level: 'info', data: 'working' })
      return { content: [] }
    })
    await using _ = client
    const seen: unknown[] = []
    await client.call(
      'x',
      {},
      { onProgress: (p) => seen.push(p), onLog: (log) => seen.push(log), logLevel: 'info' },
    )
    expect(seen.filter((entry) => !Object.hasOwn(entry as object, 'data'))).toEqual([
      { progress: 1, total: 2, x: 1 },
    ])
  })

  it('a callback that throws harms nobody but is reported', async () => {
    const { client } = connect(({ request, notify }) => {
      const meta = request.params?._meta as { progressToken: unknown }
      notify('notifications/progress', { progressToken: meta.progressToken, progress: 1 })
      return { content: [] }
    })
    await using _ = client
    const warnings: string[] = []
    client.on('warning', (error) => {
      warnings.push(error.message)
      throw new Error('even the listener')
    })
    await client.call(
      'x',
      {},
      {
        onProgress: () => {
          throw new Error('oops')
        },
      },
    )
    expect(warnings).toEqual(['oops'])
  })

  it('an idle timeout cancels the request; progress resets it; the maximum holds anyway', async () => {
    const { client, connector } = connect(({ request, notify, signal }) => {
      if (request.params?.name === 'silent') return never()
      const meta = request.params?._meta as { progressToken: unknown }
      let progress = 0
      const timer = setInterval(() => {
        notify('notifications/progress', { progressToken: meta.progressToken, progress: ++progress })
      }, 10)
      signal.addEventListener('abort', () => clearInterval(timer))
      return never()
    })
    await using _ = client
    const silent = client.call('silent', {}, { timeout: 40 })
    await expect(silent).rejects.toMatchObject({ code: 'timeout', details: { timeout: 40 } })
    const started = Date.now()
    const busy = client.call('busy', {}, { timeout: 60, maxTotalTimeout: '300ms' })
    await expect(busy).rejects.toMatchObject({ code: 'timeout', details: { timeout: 300 } })
    expect(Date.now() - started).toBeGreaterThanOrEqual(290)
    const silentToo = client.call('silent', {}, { timeout: 0, maxTotalTimeout: 30 })
    await expect(silentToo).rejects.toMatchObject({ code: 'timeout', details: { timeout: 30 } })
    const ids = connector.peer.of('tools/call').map(({ id }) => ({ requestId: id }))
    expect(connector.peer.of('notifications/cancelled').map(({ params }) => params)).toEqual(ids)
  })

  it('a signal cancels the request', async () => {
    const { client, connector } = connect(never)
    await using _ = client
    const abort = new AbortController()
    const pending = client.call('x', {}, { signal: abort.signal })
    await until(() => connector.peers.length > 0 && connector.peer.of('tools/call').length === 1)
    abort.abort()
    await expect(pending).rejects.toMatchObject({ code: 'cancelled' })
    expect(connector.peer.of('notifications/cancelled')).toHaveLength(1)
  })

  it('parallel requests answered out of order each get their own answer', async () => {
    const waiting: (() => void)[] = []
    const { client } = connect(
      ({ request }) =>
        new Promise((resolve) => {
          waiting.push(() => resolve({ content: [{ type: 'text', text: request.params?.name }] }))
        }),
    )
    await using _ = client
    const answers = Promise.all(['a', 'b', 'c'].map(async (name) => (await client.call(name)).text()))
    await until(() => waiting.length === 3)
    for (const answer of waiting.reverse()) answer()
    expect(await answers).toEqual(['a', 'b', 'c'])
  })
})

describe('other requests', () => {
  it('passes middleware, which sees and changes exchanges, and trace context', async () => {
    const connector = scripted('modern', () => ({ content: [] }))
    const seen: string[] = []
    await using client = new Client({
      connector,
      traceContext: () => ({ traceparent: '00-1-2-01' }),
      middleware: [
        async (exchange, next) => {
          seen.push(exchange.method)
          return next({ ...exchange, params: { ...exchange.params, extra: 1 } })
        },
      ],
    })
    client.use(async (_, next) => {
      seen.push('inner')
      return next()
    })
    await client.call('x', {}, { meta: { 'com.example/k': 2 } })
    expect(seen).toEqual(['tools/call', 'inner'])
    expect(connector.peer.of('tools/call')[0]?.params).toMatchObject({
      extra: 1,
      _meta: { traceparent: '00-1-2-01', 'com.example/k': 2 },
    })
  })

  it('ping is ping for legacy servers and discovery for modern ones', async () => {
    for (const era of eras) {
      const connector = scripted(era, () => ({}))
      await using client = new Client({ connector })
      await client.ping()
      expect(connector.peer.methods.at(-1)).toBe(era === 'modern' ? 'server/discover' : 'ping')
    }
  })

  it('setLogLevel reaches both eras in their way', async () => {
    const legacy = scripted('legacy', () => ({}), { capabilities: { logging: {} } })
    await using old = new Client({ connector: legacy })
    await old.setLogLevel('warning')
    await old.call('x')
    expect(legacy.peer.of('logging/setLevel').map(({ params }) => params)).toEqual([{ level: 'warning' }])
    const modern = scripted('modern', () => ({}), { capabilities: { logging: {} } })
    await using young = new Client({ connector: modern })
    await young.setLogLevel('warning')
    await young.call('x')
    expect(modern.peer.of('logging/setLevel')).toEqual([])
    expect(modern.peer.of('tools/call')[0]?.params?._meta).toMatchObject({
      'io.modelcontextprotocol/logLevel': 'warning',
    })
  })

  it('rootsChanged tells legacy servers', async () => {
    const connector = scripted('legacy', () => ({}))
    await using client = new Client({ connector, roots: [] })
    await client.connect()
    await client.rootsChanged()
    expect(connector.peer.methods.at(-1)).toBe('notifications/roots/list_changed')
    expect(connector.peer.of('initialize')[0]?.params?.capabilities).toEqual({ roots: { listChanged: true } })
  })

  it('handle passes an exchange on as it is and returns questions as values', async () => {
    const connector = scripted('legacy', async ({ push }) => ({ got: await push('roots/list') }))
    await using client = new Client({ connector, capabilities: { roots: {} } })
    const outcome = await client.handle({
      method: 'tools/call',
      params: { name: 'x', odd: 1 },
      client: { capabilities: { roots: {} }, version: '2026-07-28' },
      signal: new AbortController().signal,
      notify: () => {},
    })
    expect(outcome).toMatchObject({ type: 'input_required' })
    expect(connector.peer.of('tools/call')[0]?.params).toMatchObject({ name: 'x', odd: 1 })
  })
})
