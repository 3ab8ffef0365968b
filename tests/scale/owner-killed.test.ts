import { createApp } from '../interop/fixtures/everything-app.mjs'
import { fileURLToPath } from 'node:url'
import { Server, tool } from '@gantry/mcp/server'
import { afterEach, beforeAll, afterAll, expect, it } from 'vitest'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { legacyRequest, listenRaw, modernRequest, openSession } from '../support/raw-client.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const COUNTER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
/** A gateway that is gone is noticed within two seconds, and its place is taken at once. */
const AT_ONCE = 4_000
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } }
const NAME = { type: 'object', properties: { name: { type: 'string' } } }

let notes: HttpTarget
let asking: HttpTarget
let replicas: Replicas
const killed = new Set<number>()

beforeAll(async () => {
  notes = await serveHttp(createApp({ revisions: ['2026-07-28'] }))
  const greet = tool({
    run: async (_, ctx) => `Hello ${((await ctx.elicit('Name?', NAME)) as { name: string }).name}`,
  })
  const app = new Server({ name: 'asking', version: '1.0.0', revisions: ['2025-11-25'], tools: { greet } })
  // An older server says of its tools that they can be tasks.
  app.use(async (exchange, next) => {
    const outcome = await next()
    if (exchange.method !== 'tools/list' || outcome.type !== 'complete') return outcome
    const tools = (outcome.result.tools as object[]).map((one) => ({
      ...one,
      execution: { taskSupport: 'optional' },
    }))
    return { type: 'complete', result: { ...outcome.result, tools } }
  })
  asking = await serveHttp(app)
  const counter = { command: process.execPath, args: [COUNTER], env: { REVISIONS: '2025-11-25' } }
  replicas = await startReplicas(2, {
    mcpServers: { notes: { url: notes.url }, asking: { url: asking.url }, counter },
  })
})
afterEach(async () => {
  for (const at of killed) await replicas.start(at)
  killed.clear()
})
afterAll(async () => {
  await replicas?.close()
  await notes?.close()
  await asking?.close()
})

async function kill(at: number): Promise<number> {
  killed.add(at)
  await replicas.all[at]!.kill()
  return Date.now()
}

const endpoint = (at: number): string => replicas.all[at]!.endpoint

interface Stream {
  readonly methods: string[]
  readonly updated: string[]
  lastId: string | undefined
  readonly ended: Promise<void>
  close(): void
}

/** The stream of a session that listens. */
async function listen(at: number, session: string, lastId?: string): Promise<Stream> {
  const closed = new AbortController()
  const answer = await fetch(endpoint(at), {
    headers: {
      accept: 'text/event-stream',
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
    signal: closed.signal,
  })
  expect(answer.status).toBe(200)
  const stream: Stream = {
    methods: [],
    updated: [],
    lastId,
    ended: read(answer).catch(() => {}),
    close: () => closed.abort(),
  }
  return stream
  async function read({ body }: Response): Promise<void> {
    let rest = ''
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        if (line.startsWith('id: ')) stream.lastId = line.slice(4)
        if (!line.startsWith('data: {')) continue
        const { method, params } = JSON.parse(line.slice(6))
        stream.methods.push(method)
        if (method === 'notifications/resources/updated') stream.updated.push(params.uri)
      }
    }
  }
}

const text = 'test://text/1'
const touch = (at: number, uri: string) =>
  modernRequest(endpoint(at), 'tools/call', { name: 'notes_touch', arguments: { uri } })
const uriAt = async (at: number, session: string): Promise<string> => {
  const { message } = await legacyRequest(endpoint(at), 'resources/list', {}, { session })
  const uris = (message.result.resources as { uri: string }[]).map(({ uri }) => uri)
  return uris.find((uri) => uri.endsWith(text)) ?? text
}

it('a session that is taken over still follows its resources, and says what may have changed', async () => {
  const session = await openSession(endpoint(0))
  const uri = await uriAt(0, session)
  const ask = (at: number, method: string, params: Record<string, unknown>) =>
    legacyRequest(endpoint(at), method, params, { session })
  // By the other gateway: settings are those of the session, wherever they are said.
  for (const [method, params] of [
    ['logging/setLevel', { level: 'error' }],
    ['resources/subscribe', { uri }],
    ['resources/subscribe', { uri: uri.replace('/1', '/2') }],
    ['resources/unsubscribe', { uri: uri.replace('/1', '/2') }],
  ] as const) {
    expect((await ask(1, method, params)).message).toMatchObject({ result: {} })
  }
  const before = await listen(1, session)
  await touch(1, text)
  await expect.poll(() => before.updated).toEqual([uri])
  const began = await kill(0)
  await before.ended
  expect(Date.now() - began).toBeLessThan(AT_ONCE)
  const after = await listen(1, session, before.lastId)
  // What changed while nobody had the session is unknown.
  await expect.poll(() => after.updated).toEqual([uri])
  expect(after.methods).toEqual(
    expect.arrayContaining([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ]),
  )
  expect(Date.now() - began).toBeLessThan(2 * AT_ONCE)
  await touch(1, 'test://text/2')
  await touch(1, text)
  await expect.poll(() => after.updated).toEqual([uri, uri])
  after.close()
})

it('a session that its client ended is over everywhere, also when its gateway is gone', async () => {
  const session = await openSession(endpoint(0))
  await legacyRequest(endpoint(1), 'logging/setLevel', { level: 'debug' }, { session })
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  expect((await fetch(endpoint(1), { method: 'DELETE', headers })).status).toBeLessThan(300)
  const [bare] = session.split('~')
  const statusOf = async (id: string): Promise<number> =>
    (await legacyRequest(endpoint(1), 'ping', {}, { session: id })).status
  expect(await Promise.all([session, bare!].map(statusOf))).toEqual([404, 404])
  await kill(0)
  expect(await Promise.all([session, bare!].map(statusOf))).toEqual([404, 404])
})

it('a client of HTTP+SSE hears at once that its stream is over, by whatever gateway it asks', async () => {
  const stream = await fetch(`${replicas.all[0]!.url}/sse`, { headers: { accept: 'text/event-stream' } })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  const place = /data: (\S+)/.exec((await reader.read()).value!)![1]!
  const post = (body: object) =>
    fetch(new URL(place, replicas.all[1]!.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    })
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'o', version: '1' } }
  expect((await post({ id: 1, method: 'initialize', params })).status).toBe(202)
  await reader.read()
  const began = await kill(0)
  const ended = await reader.read().then(
    ({ done }) => done,
    () => true,
  )
  expect(ended).toBe(true)
  const answer = await post({ id: 2, method: 'ping' })
  expect(answer.status).toBe(404)
  expect(await answer.text()).not.toBe('')
  expect(Date.now() - began).toBeLessThan(AT_ONCE)
})

const modern = async (at: number, method: string, params: Record<string, unknown>) =>
  (await modernRequest(endpoint(at), method, params, { capabilities: TASKS })).message

it('a task is unknown when the gateway that ran it is gone, and who listens to it is told', async () => {
  const { result } = await modern(0, 'tools/call', { name: 'asking_greet' })
  const { taskId } = result
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into whatever came
  const heard: any[] = []
  const listening = listenRaw(
    endpoint(1),
    { notifications: { taskIds: [taskId] } },
    TASKS,
    new AbortController().signal,
    (message) => heard.push(message),
  )
  await expect.poll(() => heard[0]?.params?.notifications?.taskIds).toEqual([taskId])
  expect((await modern(1, 'tasks/get', { taskId })).result.taskId).toBe(taskId)
  const began = await kill(0)
  await listening
  expect(heard.at(-1).error.message).toContain('is gone. Listen again')
  expect((await modern(1, 'tasks/get', { taskId })).error).toMatchObject({
    message: expect.stringContaining('Task not found'),
  })
  expect(Date.now() - began).toBeLessThan(AT_ONCE)
})

it('a call that waited for its client has ended when the gateway that had it is gone', async () => {
  const call = (at: number, more: object = {}) =>
    modernRequest(endpoint(at), 'tools/call', { name: 'asking_greet', arguments: {}, ...more })
  const asked = (await call(0)).message.result
  expect(asked.resultType).toBe('input_required')
  const [question] = Object.keys(asked.inputRequests)
  const began = await kill(0)
  const { message } = await call(1, {
    requestState: asked.requestState,
    inputResponses: { [question!]: { action: 'accept', content: { name: 'Ada' } } },
  })
  expect(message.error.message).toContain('the call it belongs to has ended')
  expect(Date.now() - began).toBeLessThan(AT_ONCE)
})

it('a question in the middle of an older call ends with an error at the other gateway', async () => {
  const session = await openSession(endpoint(0), { elicitation: { form: {} } })
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-session-id': session,
    'mcp-protocol-version': '2025-11-25',
  }
  const params = { name: 'counter_greet', arguments: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
  const call = await fetch(endpoint(1), { method: 'POST', headers, body })
  // The question has come before the gateway is killed. One that is killed earlier is replaced by the other
  // one, which then asks.
  const text = await readUntil(call, 'elicitation/create')
  const began = await kill(0)
  const lastId = [...text.matchAll(/^id: (.+)$/gm)].at(-1)![1]!
  const resumed = await fetch(endpoint(1), { headers: { ...headers, 'last-event-id': lastId } })
  expect(await readUntil(resumed, '"id":7')).toContain('What was asked for may have been done.')
  expect(Date.now() - began).toBeLessThan(AT_ONCE)
})

/** Reads a stream until a text is in it. The rest is not waited for. */
async function readUntil({ body }: Response, wanted: string): Promise<string> {
  let all = ''
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    all += piece
    if (all.includes(wanted)) return all
  }
  throw new Error(`The stream ended without ${wanted}: ${all}`)
}
