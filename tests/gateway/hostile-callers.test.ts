import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { Server, tool } from '@gantry/mcp/server'
import { legacyRequest, modernRequest } from '../support/raw-client.ts'
import { namedTool, scriptedTarget, type ScriptedTarget } from '../support/scripted-target.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const RELATED_TASK = 'io.modelcontextprotocol/related-task'
const DECLARED = { extensions: { [TASKS]: {} }, elicitation: { form: {} } }
const ANSWERS = { q: { action: 'accept', content: {} } }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const keyOf = (who: string): string => `key-of-${who}-0123456789`
const auth = { apiKeys: ['ann', 'ben'].map((name) => ({ name, key: keyOf(name) })) }
const as = (who: string) => ({ headers: { authorization: `Bearer ${keyOf(who)}` }, capabilities: DECLARED })
const notForBen = (...deny: string[]) => ({ rules: [{ who: { apiKeys: ['ben'] }, deny }] })

async function start(
  config: Record<string, unknown>,
  apps: Record<string, readonly string[]> = {},
): Promise<TestGateway> {
  const servers = Object.entries(apps).map(([name, tools]) => {
    const offered = Object.fromEntries(tools.map((one) => [one, tool({ run: () => name })]))
    return [name, new Server({ name, tools: offered })] as const
  })
  const gateway = await testGateway(config, { embedded: new Map(servers) })
  closing.push(() => gateway.close())
  return gateway
}

const discovery = (capabilities: object) => () => ({
  supportedVersions: ['2026-07-28'],
  capabilities,
  ttlMs: 0,
  cacheScope: 'private',
})

/** A modern server whose tasks are all called "1", and whose states are plain. */
async function trusting(label: string): Promise<ScriptedTarget> {
  const at = new Date(0).toISOString()
  const task = { taskId: '1', status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: 60_000 }
  const question = { mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } }
  const inputRequests = { q: { method: 'elicitation/create', params: question } }
  const target = await scriptedTarget({
    'server/discover': discovery({ tools: {}, extensions: { [TASKS]: {} } }),
    'tools/list': () => ({ tools: [namedTool('work'), namedTool('ask'), namedTool('who')] }),
    'tools/call': ({ params: { name, requestState } }) => {
      if (name === 'work') return { resultType: 'task', ...task }
      if (name === 'who' || requestState !== undefined)
        return { content: [{ type: 'text', text: `${label} ${requestState}` }] }
      return { resultType: 'input_required', inputRequests, requestState: `state of ${label}` }
    },
    'tasks/get': () => ({ ...task, statusMessage: label }),
  })
  closing.push(() => target.close())
  return target
}

describe('a name that policy denies', () => {
  it.each(['tools/call', 'prompts/get'])(
    'is answered by %s like one that nothing has, also where the target does not start',
    async (method) => {
      const gateway = await start({
        mcpServers: { broken: { command: 'no-such-command-anywhere', start: 'lazy' } },
        catalog: { deadline: 300 },
        auth,
        policy: notForBen('tools:broken/secret', 'prompts:broken/secret'),
      })
      const answer = async (name: string) => {
        const { status, message } = await modernRequest(gateway.endpoint, method, { name }, as('ben'))
        return { status, error: JSON.stringify(message.error).replaceAll(/\d+ s\b|"\d+"/g, 'N') }
      }
      const missing = await answer('broken_nothing')
      expect(missing.error).toContain('broken')
      expect(await answer('broken_secret')).toEqual(missing)
    },
  )

  it('takes no name from what the caller may use', async () => {
    const gateway = await start(
      {
        mcpServers: {
          hidden: { module: 'hidden', prefix: false },
          shown: { module: 'shown', prefix: false },
        },
        auth,
        policy: notForBen('hidden'),
      },
      { hidden: ['read'], shown: ['read'] },
    )
    const seen = async (who: string) => {
      const { message } = await modernRequest(gateway.endpoint, 'tools/list', {}, as(who))
      const names = message.result.tools.map(({ name }: { name: string }) => name)
      const call = { name: 'read', arguments: {} }
      const { result } = (await modernRequest(gateway.endpoint, 'tools/call', call, as(who))).message
      return { names, read: result.content[0].text }
    }
    expect(await seen('ann')).toEqual({
      names: ['read', expect.stringMatching(/^read_[0-9a-f]{6}$/)],
      read: 'hidden',
    })
    expect(await seen('ben')).toEqual({ names: ['read'], read: 'shown' })
  })

  it.each([
    ['docs://{path*}', 'docs://secret*'],
    ['docs://{path:30}', 'docs://secret*'],
    ['docs://{path,more}', 'docs://secret'],
    ['docs://{+path}', 'docs://secret*'],
    ['docs://all{/path}', 'docs://all/secret*'],
    ['docs://all{?path}', 'docs://all?path=secret*'],
    ['docs://{path}/{more}', 'docs://secret/*'],
  ])('is not suggested for the template %s', async (uri, denied) => {
    const target = await scriptedTarget({
      'server/discover': discovery({ resources: {}, completions: {} }),
      'resources/templates/list': () => ({ resourceTemplates: [{ name: 't', uriTemplate: uri }] }),
      'completion/complete': () => ({ completion: { values: ['secret', 'public'] } }),
    })
    closing.push(() => target.close())
    const mcpServers = { m: { url: target.url, prefix: false } }
    const gateway = await start({ mcpServers, auth, policy: notForBen(`resources:m/${denied}`) })
    const params = { ref: { type: 'ref/resource', uri }, argument: { name: 'path', value: '' } }
    const suggested = async (who: string) =>
      (await modernRequest(gateway.endpoint, 'completion/complete', params, as(who))).message.result
        .completion.values
    expect(await suggested('ann')).toEqual(['secret', 'public'])
    expect(await suggested('ben')).not.toContain('secret')
  })

  it('is no label of the metrics where anybody may read them', async () => {
    const gateway = await start(
      {
        mcpServers: { hidden: { module: 'hidden' }, shown: { module: 'shown' } },
        policy: { rules: [{ deny: ['hidden'] }] },
      },
      { hidden: ['read'], shown: ['read'] },
    )
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(text).toContain('target="shown"')
    expect(text).not.toContain('hidden')
  })
})

describe('what one server made', () => {
  it('is of no use at another that takes its place', async () => {
    const [old, next] = [await trusting('old'), await trusting('next')]
    const config = (url: string) => ({ mcpServers: { m: { url } }, auth })
    const gateway = await start(config(old.url))
    const ann = async (method: string, params: Record<string, unknown>) =>
      (await modernRequest(gateway.endpoint, method, params, as('ann'))).message
    const work = await ann('tools/call', { name: 'm_work', arguments: {} })
    const ask = { name: 'm_ask', arguments: {} }
    const { requestState } = (await ann('tools/call', ask)).result
    const model = await modelOf({ ...config(next.url), stateDir: gateway.stateDir })
    await gateway.gateway.apply(model)
    await expect
      .poll(async () => JSON.stringify(await ann('tools/call', { name: 'm_who', arguments: {} })), {
        timeout: 10_000,
      })
      .toContain('next')
    const got = await ann('tasks/get', { taskId: work.result.taskId })
    expect(got.error).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown task') })
    const again = await ann('tools/call', { ...ask, requestState, inputResponses: ANSWERS })
    expect(again.error).toMatchObject({ code: -32602 })
    expect(next.calls.filter(({ method }) => method === 'tasks/get')).toEqual([])
  })

  it('is of no use after its process has ended, although the next one counts its tasks the same way', async () => {
    const counting = fileURLToPath(new URL('../fixtures/counting-server.mjs', import.meta.url))
    const restart = { minDelay: 10, maxDelay: 20 }
    const gateway = await start({
      mcpServers: { m: { command: process.execPath, args: [counting], restart } },
      auth,
    })
    const ask = async (who: string, method: string, params: Record<string, unknown>) =>
      (await modernRequest(gateway.endpoint, method, params, as(who))).message
    const work = { name: 'm_work', arguments: {} }
    const before = (await ask('ann', 'tools/call', work)).result.taskId
    const ofAnn = async () =>
      (await ask('ann', 'tasks/get', { taskId: before })) as { result?: object; error?: object }
    expect((await ofAnn()).result).toMatchObject({ status: 'working' })
    await ask('ann', 'tools/call', { name: 'm_crash', arguments: {} })
    expect((await ofAnn()).error).toMatchObject({ code: -32602 })
    await expect
      .poll(async () => JSON.stringify(await ask('ben', 'tools/call', { name: 'm_who', arguments: {} })))
      .toContain('I am')
    const next = (await ask('ben', 'tools/call', work)).result.taskId
    expect((await ofAnn()).error).toMatchObject({ code: -32602 })
    expect((await ask('ben', 'tasks/get', { taskId: next })).result).toMatchObject({ status: 'working' })
  })

  it('is not named by callers: the ids of tasks there are not theirs', async () => {
    const target = await trusting('m')
    const gateway = await start({ mcpServers: { m: { url: target.url } }, auth })
    const meta = { [RELATED_TASK]: { taskId: '1' }, 'example.org/other': 'kept' }
    const call = { name: 'm_who', arguments: {} }
    await modernRequest(gateway.endpoint, 'tools/call', call, { ...as('ben'), meta })
    const { params } = target.calls.find(({ method }) => method === 'tools/call')!
    expect(params._meta).toMatchObject({ 'example.org/other': 'kept' })
    expect(params._meta).not.toHaveProperty([RELATED_TASK])
  })
})

it('a session of one endpoint is no session of another', async () => {
  const gateway = await start(
    { mcpServers: { m: { module: 'm' }, n: { module: 'm' } }, auth },
    { m: ['read'] },
  )
  const { headers } = as('ben')
  const clientInfo = { name: 'raw-client', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  for (const path of ['', '/m']) {
    const opened = await legacyRequest(gateway.endpoint + path, 'initialize', params, { headers })
    const session = opened.headers.get('mcp-session-id')!
    for (const other of ['', '/m', '/n']) {
      const { status } = await legacyRequest(gateway.endpoint + other, 'tools/list', {}, { headers, session })
      expect(status).toBe(other === path ? 200 : 404)
    }
  }
})

it.each(['notifications/cancelled', 'notifications/initialized', 'roots/list', 'sampling/createMessage'])(
  'a request for %s reaches no target',
  async (method) => {
    const target = await trusting('m')
    const gateway = await start({ mcpServers: { m: { url: target.url } }, auth })
    for (const path of ['', '/m']) {
      const { status, text } = await send(gateway.endpoint + path, method)
      expect(status).toBe(404)
      expect(JSON.parse(text).error).toEqual({ code: -32601, message: `Method not found: ${method}` })
    }
    expect(target.calls.map((call) => call.method)).not.toContain(method)
  },
)

/** Past the check of what the test itself sends. */
async function send(url: string, method: string): Promise<{ status: number; text: string }> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...as('ben').headers,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { requestId: 1, _meta } }),
  })
  return { status: response.status, text: await response.text() }
}

describe('what one side gives the other to keep', () => {
  const long = (characters: number): string => 'a'.repeat(characters)

  it('has a greatest length, whatever a caller sends back', async () => {
    const target = await trusting('one')
    const gateway = await start({ mcpServers: { one: { url: target.url } }, auth })
    const ask = (method: string, params: Record<string, unknown>) =>
      modernRequest(gateway.endpoint, method, params, as('ann'))
    const refusals = await Promise.all([
      ask('tools/call', { name: 'one_ask', requestState: long(600_000) }),
      ask('tools/list', { cursor: long(70_000) }),
      ask('tasks/get', { taskId: long(9_000) }),
      modernRequest(
        gateway.endpoint,
        'tools/call',
        { name: 'one_who' },
        { ...as('ann'), meta: { progressToken: long(2_000) } },
      ),
    ])
    const told = refusals.map(({ message }) => message.error)
    expect(told.map(({ code }) => code)).toEqual([-32602, -32602, -32602, -32602])
    expect(told.map(({ message }) => message)).toEqual(
      ['requestState', 'cursor', 'taskId', 'progressToken'].map((member) =>
        expect.stringContaining(`"${member}" is longer than`),
      ),
    )
    expect(JSON.stringify(told).length).toBeLessThan(2_000)
    const unnamed = await fetch(gateway.endpoint, {
      method: 'POST',
      headers: {
        ...as('ann').headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: long(5_000), method: 'ping' }),
    })
    expect(await unnamed.json()).toMatchObject({ id: null, error: { code: -32600 } })
  })

  it('has one whatever a target gives, and the caller learns that the target is to blame', async () => {
    const target = await trusting('one')
    const gateway = await start({ mcpServers: { one: { url: target.url } }, auth })
    const call = async (answer: object) => {
      target.answers['tools/call'] = () => answer
      return (await modernRequest(gateway.endpoint, 'tools/call', { name: 'one_ask' }, as('ann'))).message
    }
    const at = new Date(0).toISOString()
    for (const answer of [
      { resultType: 'input_required', requestState: long(300_000) },
      { resultType: 'task', taskId: long(5_000), status: 'working', createdAt: at, lastUpdatedAt: at },
      { resultType: 'task', taskId: 5, status: 'working', createdAt: at, lastUpdatedAt: at },
    ]) {
      expect(await call(answer)).toMatchObject({
        error: { message: expect.stringContaining('Target "one"'), data: { reason: 'bad_response' } },
      })
    }
    // What honest servers need goes through, there and back.
    const { result } = await call({ resultType: 'input_required', requestState: long(200_000) })
    target.answers['tools/call'] = ({ params }) => ({
      content: [{ type: 'text', text: String(params.requestState.length) }],
    })
    const params = { name: 'one_ask', requestState: result.requestState, inputResponses: {} }
    const { message } = await modernRequest(gateway.endpoint, 'tools/call', params, as('ann'))
    expect(message.result.content[0].text).toBe('200000')
  })

  it('has one for the cursors of lists', async () => {
    const target = await trusting('one')
    target.answers['tools/list'] = () => ({ tools: [namedTool('who')], nextCursor: long(70_000) })
    const gateway = await start({ mcpServers: { one: { url: target.url } }, auth })
    const { message } = await modernRequest(gateway.endpoint, 'tools/list', {}, as('ann'))
    expect(message.result).toMatchObject({ tools: [], _meta: { 'dev.gantry/gaps': [{ target: 'one' }] } })
    expect(
      target.calls.filter(({ method }) => method === 'tools/list').every(({ params }) => !params.cursor),
    ).toBe(true)
  })
})

describe('a method that nobody knows', () => {
  const read = (url: string, path: string, uri: unknown) =>
    modernRequest(`${url}${path}`, 'vendor/read', { uri, also: ['docs://secret/x'] })

  it.each([
    ['a resource', { resources: { exclude: ['docs://secret/*'] } }],
    ['all tools but one', { tools: { include: ['echo'] } }],
    ['a prompt', { prompts: { exclude: ['secret'] } }],
  ])('does not reach a target of which the configuration leaves out %s', async (_what, entry) => {
    const target = await scriptedTarget({ 'vendor/read': () => ({ told: 'secret' }) })
    const { url: address } = target
    const open = await testGateway({ mcpServers: { a: { url: address } } })
    const closed = await testGateway({ mcpServers: { a: { url: address, ...entry } } })
    const named = await testGateway({
      mcpServers: { a: { url: address, ...entry } },
      policy: { rules: [{ allow: ['methods:a/vendor/*'] }] },
    })
    try {
      for (const path of ['/mcp', '/mcp/a']) {
        for (const uri of [undefined, ['docs://secret/x'], { uri: 'docs://secret/x' }]) {
          expect((await read(open.url, path, uri)).message.result).toMatchObject({ told: 'secret' })
          expect((await read(closed.url, path, uri)).message.error.code).toBe(-32601)
          expect((await read(named.url, path, uri)).message.result).toMatchObject({ told: 'secret' })
        }
      }
    } finally {
      for (const one of [open, closed, named, target]) await one.close()
    }
  })
})
