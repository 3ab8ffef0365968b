import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { legacyRequest, openSession as openRawSession } from '../support/raw-client.ts'
import { startBalancer, type Balancer } from './balancer.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const SERVER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))

let replicas: Replicas
let balancer: Balancer
const gone = new Set<number>()
const alive = (): string[] => replicas.all.filter((_, at) => !gone.has(at)).map(({ url }) => url)

beforeAll(async () => {
  const counter = { command: process.execPath, args: [SERVER], env: { REVISIONS: '2025-11-25' } }
  replicas = await startReplicas(3, { mcpServers: { counter } })
  balancer = await startBalancer(alive)
})
afterAll(async () => {
  await balancer?.close()
  await replicas?.close()
})

function createClient(): Client {
  const client = new Client(
    { name: 'official', version: '1' },
    { capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'you' } }))
  return client
}

async function textOf(client: Client, name: string): Promise<string> {
  const result = await client.callTool({ name: `counter_${name}`, arguments: {} })
  return (result.content as { text: string }[])[0]!.text
}

const headersOf = (session: string) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-session-id': session,
  'mcp-protocol-version': '2025-11-25',
})

const post = (at: string, session: string, message: object, signal: AbortSignal | null = null) =>
  fetch(`${at}/mcp`, {
    method: 'POST',
    headers: headersOf(session),
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    signal,
  })

async function openSession() {
  const transport = new StreamableHTTPClientTransport(new URL(`${balancer.url}/mcp`))
  const client = createClient()
  await client.connect(transport)
  return { client, transport, [Symbol.asyncDispose]: () => client.close() }
}

it('a session works when each of its requests reaches another gateway, with questions in the middle of calls', async () => {
  await using first = await openSession()
  await using second = await openSession()
  for (let at = 0; at < 4; at++) {
    const greeted = await Promise.all([first, second].map(({ client }) => textOf(client, 'greet')))
    expect(greeted).toEqual(['Hello, you!', 'Hello, you!'])
  }
})

it('a session of HTTP+SSE as well', async () => {
  const client = createClient()
  await client.connect(new SSEClientTransport(new URL(`${balancer.url}/sse`)))
  for (let at = 0; at < 4; at++) expect(await textOf(client, 'greet')).toBe('Hello, you!')
  await client.close()
})

it('a session that was ended is over at every gateway', async () => {
  const { client, transport } = await openSession()
  const headers = { 'mcp-session-id': transport.sessionId!, 'mcp-protocol-version': '2025-11-25' }
  await transport.terminateSession()
  for (const url of alive()) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers: { ...types, ...headers }, body })
    expect(answer.status).toBe(404)
  }
  await client.close()
})

/** A call that asks; its client loses the connection when it has heard the question. */
async function brokenCall(at: string, session: string): Promise<{ first: string; question: unknown }> {
  const broken = new AbortController()
  const params = { name: 'counter_greet', arguments: {} }
  const answer = await post(at, session, { id: 7, method: 'tools/call', params }, broken.signal)
  const heard: StreamEvent[] = []
  for await (const event of eventsOf(answer)) {
    heard.push(event)
    if (event.message?.method === 'elicitation/create') break
  }
  broken.abort()
  return { first: heard[0]!.id!, question: heard.at(-1)!.message.id }
}

const resume = (at: string, session: string, from: string) =>
  fetch(`${at}/mcp`, {
    headers: { ...headersOf(session), accept: 'text/event-stream', 'last-event-id': from },
  })

const accepted = (id: unknown, name: string) => ({ id, result: { action: 'accept', content: { name } } })
const gist = ({ message }: StreamEvent) => message?.method ?? message?.result?.content[0].text

it('a stream that broke off goes on at another gateway, by Last-Event-ID', async () => {
  const [one, two, three] = alive() as [string, string, string]
  const session = await openRawSession(`${one}/mcp`, { elicitation: { form: {} } })
  const { first } = await brokenCall(two, session)
  const resumed = await resume(three, session, first)
  expect(resumed.status).toBe(200)
  const after: StreamEvent[] = []
  for await (const event of eventsOf(resumed)) {
    after.push(event)
    const { method, id } = event.message ?? {}
    if (method !== 'elicitation/create') continue
    expect((await post(one, session, accepted(id, 'again'))).status).toBe(202)
  }
  expect(after.map(gist)).toEqual(['elicitation/create', 'Hello, again!'])
})

it('an answer whose client was gone is at the other gateways when the one that made it is killed', async () => {
  const [one, two, three] = alive() as [string, string, string]
  const session = await openRawSession(`${one}/mcp`, { elicitation: { form: {} } })
  const { first, question } = await brokenCall(two, session)
  // Nothing says from outside that the gateway knows that its client is gone.
  await sleep(1_000)
  await post(three, session, accepted(question, 'late'))
  // Nor that the answer is in the store.
  await sleep(1_000)
  const victim = replicas.all.findIndex(({ url }) => url === one)
  gone.add(victim)
  await replicas.all[victim]!.kill()
  const kept = async () => {
    const events: StreamEvent[] = []
    for await (const event of eventsOf(await resume(three, session, first))) events.push(event)
    return events.map(gist).filter(Boolean)
  }
  await expect.poll(kept, { timeout: 15_000 }).toEqual(['elicitation/create', 'Hello, late!'])
  await replicas.start(victim)
  gone.delete(victim)
})

it('nobody looks for a session that no gateway began', async () => {
  const { client, transport } = await openSession()
  const [sealed] = transport.sessionId!.split('~')
  const forged = `${sealed}~00000000-0000-4000-8000-000000000000~AAAAAAAAAAAAAAAAAAAAAA`
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': forged,
    'mcp-protocol-version': '2025-11-25',
    'x-gantry-peer': '-',
    'x-gantry-hop': 'e30.AAAA',
  }
  const began = Date.now()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const answer = await fetch(`${alive()[0]}/mcp`, { method: 'POST', headers, body })
  // It is sealed, so it is a session; it is the one that this gateway knows, and nobody else's.
  expect(answer.status).toBe(200)
  expect(Date.now() - began).toBeLessThan(5_000)
  const stolen = await fetch(`${alive()[0]}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'mcp-session-id': `made-up${forged.slice(forged.indexOf('~'))}` },
    body,
  })
  expect(stolen.status).toBe(404)
  await client.close()
})

it('a call that came by another gateway ends well when the gateway of its session is told to stop', async () => {
  const [own, other] = alive() as [string, string]
  const session = await openRawSession(`${own}/mcp`)
  const call = (name: string) =>
    legacyRequest(`${other}/mcp`, 'tools/call', { name: `counter_${name}`, arguments: {} }, { session })
  const under = call('slowly')
  await expect.poll(async () => (await call('waiting')).message.result.content[0].text).toBe('1')
  const { child } = replicas.all[0]!
  gone.add(0)
  child.kill('SIGTERM')
  expect((await under).message).toMatchObject({
    result: { content: [{ text: expect.stringMatching(/^\d+$/) }] },
  })
  await vi.waitUntil(() => child.exitCode !== null || child.signalCode !== null, { timeout: 60_000 })
  await replicas.start(0)
  gone.delete(0)
})

it('a question is answered at another gateway while the one that asked is told to stop', async () => {
  const [own, other, third] = alive() as [string, string, string]
  const session = await openRawSession(`${own}/mcp`, { elicitation: { form: {} } })
  const params = { name: 'counter_greet', arguments: {} }
  const events = eventsOf(await post(other, session, { id: 7, method: 'tools/call', params }))
  let question: StreamEvent['message']
  while (question === undefined) {
    const { message } = (await events.next()).value as StreamEvent
    if (message?.method === 'elicitation/create') question = message
  }
  const { child } = replicas.all[0]!
  gone.add(0)
  child.kill('SIGTERM')
  const takesClients = () => fetch(`${own}/health`).then(Boolean, () => false)
  await vi.waitUntil(async () => !(await takesClients()), { timeout: 30_000 })
  // Long enough for the others to hear that it is leaving.
  await sleep(1_000)
  // A session with a call under way is in one place, with everything that it asks for.
  const asked = await post(third, session, { id: 8, method: 'tools/list', params: {} })
  expect(await asked.text()).toContain('counter_greet')
  await post(third, session, accepted(question.id, 'you'))
  const { value } = await events.next()
  expect((value as StreamEvent).message.result.content[0].text).toBe('Hello, you!')
  await vi.waitUntil(() => child.exitCode !== null || child.signalCode !== null, { timeout: 60_000 })
  await replicas.start(0)
  gone.delete(0)
})

it.each(['SIGTERM', 'SIGKILL'] as const)('a session goes on when its gateway gets %s', async (signal) => {
  await using session = await openSession()
  expect(await textOf(session.client, 'greet')).toBe('Hello, you!')
  const [, owner] = session.transport.sessionId!.split('~')
  const victim = await whoIs(owner!)
  gone.add(victim)
  replicas.all[victim]!.child.kill(signal)
  const soon = () => vi.waitFor(() => textOf(session.client, 'greet'), { timeout: 15_000, interval: 100 })
  expect(await soon()).toBe('Hello, you!')
  for (let at = 0; at < 4; at++) expect(await soon()).toBe('Hello, you!')
})

interface StreamEvent {
  readonly id?: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly message?: any
}

async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  let rest = ''
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    rest += piece
    const blocks = rest.split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const data = /^data: (.+)$/m.exec(block)?.[1]
      yield { id: /^id: (.+)$/m.exec(block)?.[1], message: data ? JSON.parse(data) : undefined }
    }
  }
}

/** Which gateway began a session: the one that marks its own sessions in the same way. */
async function whoIs(owner: string): Promise<number> {
  for (const [at, { url }] of replicas.all.entries()) {
    if (gone.has(at)) continue
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`))
    const client = createClient()
    await client.connect(transport)
    const mark = transport.sessionId!.split('~')[1]
    await client.close()
    if (mark === owner) return at
  }
  throw new Error('No gateway began this session')
}
