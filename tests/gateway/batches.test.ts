import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Server, tool } from '@gantry/mcp/server'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

/** Batches of 2025-03-26, on every endpoint over HTTP. */
const KEY = 'outsider-key-of-the-test'
const HEADERS = {
  authorization: `Bearer ${KEY}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

let gateway: TestGateway
let called: string[]
const closing: (() => unknown)[] = []

beforeEach(async () => {
  called = []
  const server = (name: string): Server =>
    new Server({
      name,
      tools: Object.fromEntries(
        ['open', 'denied'].map((one) => [one, tool({ run: () => String(called.push(`${name}/${one}`)) })]),
      ),
    })
  gateway = await testGateway(
    {
      mcpServers: { common: { module: 'common' }, hidden: { module: 'hidden' } },
      auth: { apiKeys: [{ name: 'outsider', key: KEY }] },
      policy: { rules: [{ who: { apiKeys: ['outsider'] }, deny: ['hidden', 'common/denied'] }] },
    },
    { embedded: new Map(['common', 'hidden'].map((name) => [name, server(name)])) },
  )
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await gateway.close()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Message = any
type Send = (value: unknown) => Promise<Message>

const message = (more: object): object => ({ jsonrpc: '2.0', ...more })
const initialize = (id: unknown, protocolVersion = '2025-03-26'): object =>
  message({
    id,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  })
const INITIALIZED = message({ method: 'notifications/initialized' })

async function streamable(path: string, version?: string): Promise<Send> {
  const url = gateway.url + path
  const post = (value: unknown, more = {}): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { ...HEADERS, ...more }, body: JSON.stringify(value) })
  const opened = await post(initialize(0, version))
  await opened.text()
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  await post(INITIALIZED, session)
  return async (value) => {
    const text = await (await post(value, session)).text()
    const data = /^data: ([[{].*)$/m.exec(text)?.[1] ?? text
    return data === '' ? undefined : JSON.parse(data)
  }
}

/** Answers come on the stream, one for each thing sent. */
async function overSse(path: string, version?: string): Promise<Send> {
  const abort = new AbortController()
  closing.push(() => abort.abort())
  const stream = await fetch(gateway.url + path, { headers: { ...HEADERS }, signal: abort.signal })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const next = async (): Promise<string> => {
    for (;;) {
      const found = /^data: (.*)\n\n/m.exec(rest)
      if (found) {
        rest = rest.slice(found.index + found[0].length)
        return found[1]!
      }
      rest += (await reader.read()).value
    }
  }
  const address = gateway.url + (await next())
  const post = (value: unknown): Promise<Response> =>
    fetch(address, { method: 'POST', headers: HEADERS, body: JSON.stringify(value) })
  await post(initialize(0, version))
  await next()
  await post(INITIALIZED)
  return async (value) => {
    await post(value)
    // Something is always answered, so that silence can be told.
    await post(message({ id: 'after', method: 'ping' }))
    const answer = JSON.parse(await next())
    if (answer.id === 'after') return undefined
    await next()
    return answer
  }
}

const ENDPOINTS: readonly [string, (version?: string) => Promise<Send>, string][] = [
  ['/mcp', (version) => streamable('/mcp', version), 'common_'],
  ['/mcp/common', (version) => streamable('/mcp/common', version), ''],
  ['/sse', (version) => overSse('/sse', version), 'common_'],
]

describe.each(ENDPOINTS)('a batch at %s', (_path, open, prefix) => {
  const call = (id: unknown, name: string): object =>
    message({ id, method: 'tools/call', params: { name, arguments: {} } })

  it('has every element asked about by policy, whatever else is in it', async () => {
    const send = await open()
    const answers: Message[] = await send([
      call(1, `${prefix}open`),
      call('1', `${prefix}denied`),
      call(2, 'hidden_open'),
      message({ id: 3, method: 'tools/list' }),
      message({ method: 'tools/call', params: { name: `${prefix}denied`, arguments: {} } }),
      message({ method: 'notifications/cancelled', params: { requestId: 99 } }),
      [call(4, `${prefix}denied`)],
      [],
      null,
      7,
      message({ id: { a: 1 }, method: 'ping' }),
      message({ id: 5, result: {} }),
    ])
    const by = (id: unknown): Message => answers.find((answer) => answer.id === id)
    expect(called).toEqual(['common/open'])
    expect(by(1).result.content).toBeDefined()
    const absent = by(2).error
    expect(absent.code).toBe(-32602)
    expect(by('1').error.code).toBe(-32602)
    expect(by(3).result.tools.map(({ name }: { name: string }) => name)).toEqual([`${prefix}open`])
    const invalid = answers.filter(({ error }) => error?.code === -32600)
    expect(invalid.length).toBe(5)
    expect(answers).toHaveLength(4 + invalid.length)
  })

  it('of notifications alone is answered by nothing', async () => {
    const send = await open()
    expect(
      await send([INITIALIZED, message({ method: 'tools/call', params: { name: 'x' } })]),
    ).toBeUndefined()
    expect(called).toEqual([])
  })

  it('cannot begin a session again, and cannot change its revision', async () => {
    const send = await open()
    const [again, pong]: Message[] = await send([
      initialize('again', '2025-11-25'),
      message({ id: 'ping', method: 'ping' }),
    ])
    expect([again.id, again.error?.code, pong.result]).toEqual(['again', -32600, {}])
    // It is still a session of 2025-03-26, which has batches.
    expect(await send([message({ id: 6, method: 'ping' })])).toEqual([message({ id: 6, result: {} })])
  })

  it('of two elements with one id is answered twice', async () => {
    const send = await open()
    const answers: Message[] = await send([call(1, `${prefix}open`), call(1, `${prefix}open`)])
    expect(answers.map(({ id }) => id)).toEqual([1, 1])
  })

  it('is refused by a session of another revision, and runs nothing', async () => {
    const send = await open('2025-11-25')
    expect(await send([call(1, `${prefix}open`)])).toMatchObject({ error: { code: -32600 } })
    expect(called).toEqual([])
  })
})
