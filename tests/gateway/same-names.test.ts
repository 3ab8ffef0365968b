import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IssuerWorld } from '../../packages/mcp/src/auth/guard/fixtures/issuer-world.test.node.ts'
import { legacyRequest, modernRequest } from '../support/raw-client.ts'
import { rawTarget } from '../support/raw-target.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

/** Callers of one name: a key, a person and a program of one issuer, and a person of the issuer that follows it. */
const AUDIENCE = 'http://127.0.0.1:7332/mcp'
const KEY = 'key-of-alice-0123456789'
const TASKS = 'io.modelcontextprotocol/tasks'
const TASK = {
  taskId: '1',
  status: 'working',
  createdAt: new Date(0).toISOString(),
  lastUpdatedAt: new Date(0).toISOString(),
  ttlMs: 60_000,
}
const QUESTION = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
}
const ANSWERS = { q: { action: 'accept', content: {} } }
const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw-client', version: '1' },
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

let gateway: TestGateway
let first: IssuerWorld
let second: IssuerWorld
/** How often the target was asked about a task or was given a state. */
let touched: string[]
let useSecondIssuer: () => Promise<void>

beforeEach(async () => {
  touched = []
  const worlds = await Promise.all([new IssuerWorld().start(), new IssuerWorld().start()])
  for (const world of worlds) closing.push(() => world.stop())
  ;[first, second] = worlds as [IssuerWorld, IssuerWorld]
  const target = await scriptedTarget({
    'server/discover': () => ({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, extensions: { [TASKS]: {} } },
      ttlMs: 0,
      cacheScope: 'private',
    }),
    'tools/list': () => ({
      tools: ['work', 'ask'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    }),
    'tools/call': ({ params: { name, requestState } }) => {
      if (name === 'work') return { resultType: 'task', ...TASK }
      if (requestState === undefined)
        return { resultType: 'input_required', inputRequests: { q: QUESTION }, requestState: 'plain' }
      touched.push('state')
      return { content: [] }
    },
    'tasks/get': () => {
      touched.push('task')
      return TASK
    },
  })
  closing.push(() => target.close())
  const configOf = ({ issuer }: IssuerWorld) => ({
    mcpServers: { m: { url: target.url }, raw: rawTarget({}, { isolation: 'user' }) },
    auth: { apiKeys: [{ name: 'alice', key: KEY }], bearer: { issuer, audience: AUDIENCE } },
  })
  gateway = await testGateway(configOf(first))
  closing.push(() => gateway.close())
  useSecondIssuer = async () => {
    const { stateDir } = gateway
    const server = { shutdownGrace: 0 }
    await gateway.gateway.apply(await modelOf({ ...configOf(second), server, stateDir }))
  }
})

type Headers = Record<string, string>
const as = (credential: string): Headers => ({ authorization: `Bearer ${credential}` })
const person = async (world: IssuerWorld) => as(await world.token({ aud: AUDIENCE, sub: 'alice' }))
const program = async (world: IssuerWorld) =>
  as(await world.token({ aud: AUDIENCE, sub: 'alice', client_id: 'alice' }))

const ask = async (headers: Headers, method: string, params: Record<string, unknown>) => {
  const capabilities = { extensions: { [TASKS]: {} }, elicitation: { form: {} } }
  return (await modernRequest(gateway.endpoint, method, params, { headers, capabilities })).message
}

interface Owned {
  readonly session: string
  readonly sse: string
  readonly taskId: string
  readonly requestState: string
  readonly pid: string
}

const pidOf = async (headers: Headers): Promise<string> =>
  (await ask(headers, 'tools/call', { name: 'raw_pid', arguments: {} })).result.content[0].text

/** One of everything that a caller can own. */
async function own(headers: Headers): Promise<Owned> {
  const opened = await legacyRequest(gateway.endpoint, 'initialize', CLIENT, { headers })
  const abort = new AbortController()
  closing.push(() => abort.abort())
  const stream = await fetch(`${gateway.url}/sse`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  })
  const { value } = await stream.body!.pipeThrough(new TextDecoderStream()).getReader().read()
  const task = await ask(headers, 'tools/call', { name: 'm_work', arguments: {} })
  const asked = await ask(headers, 'tools/call', { name: 'm_ask', arguments: {} })
  return {
    session: opened.headers.get('mcp-session-id')!,
    sse: gateway.url + /data: (\S+)/.exec(value!)![1],
    taskId: task.result.taskId,
    requestState: asked.result.requestState,
    pid: await pidOf(headers),
  }
}

/** What of it a caller can use. */
async function usable(
  headers: Headers,
  { session, sse, taskId, requestState, pid }: Owned,
): Promise<string[]> {
  const used: string[] = []
  const note = (what: string, works: boolean): void => {
    if (works) used.push(what)
  }
  const listed = await legacyRequest(gateway.endpoint, 'tools/list', {}, { headers, session })
  note('session', listed.status === 200)
  const resumed = await fetch(gateway.endpoint, {
    headers: { accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': '1-0', ...headers },
  })
  note('stream', resumed.status === 200)
  await resumed.body?.cancel()
  const posted = await fetch(sse, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  note('sse', posted.status === 202)
  touched.length = 0
  note('task', (await ask(headers, 'tasks/get', { taskId })).result !== undefined)
  const answered = { name: 'm_ask', arguments: {}, requestState, inputResponses: ANSWERS }
  note('state', (await ask(headers, 'tools/call', answered)).result?.resultType === 'complete')
  expect(touched).toEqual(used.filter((what) => what === 'task' || what === 'state'))
  note('connection', (await pidOf(headers)) === pid)
  return used
}

const EVERYTHING = ['session', 'stream', 'sse', 'task', 'state', 'connection']

describe('callers of one name', () => {
  it('a key, a person and a program own nothing of each other', async () => {
    const callers = [as(KEY), await person(first), await program(first)]
    const owned = []
    for (const caller of callers) owned.push(await own(caller))
    for (const [at, caller] of callers.entries()) {
      for (const [of, one] of owned.entries()) {
        expect([at, of, await usable(caller, one)]).toEqual([at, of, at === of ? EVERYTHING : []])
      }
    }
  })

  it('people of two issuers own nothing of each other, when the issuer is replaced and comes back', async () => {
    const before = await own(await person(first))
    await useSecondIssuer()
    const stranger = await person(second)
    expect(await usable(stranger, before)).toEqual([])
    const theirs = await own(stranger)
    expect(await usable(stranger, theirs)).toEqual(EVERYTHING)
    expect(await usable(as(KEY), theirs)).toEqual([])
    const old = await modernRequest(gateway.endpoint, 'tools/list', {}, { headers: await person(first) })
    expect(old.status).toBe(401)
  })
})
