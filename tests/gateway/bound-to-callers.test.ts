import { afterEach, describe, expect, it } from 'vitest'
import { listenRaw, modernRequest } from '../support/raw-client.ts'
import { scriptedTarget, type ScriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'
import { parseObjectPattern } from '../../packages/gateway/src/model/index.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const DECLARED = { extensions: { [TASKS]: {} }, elicitation: { form: {} } }
const QUESTION = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
}
const ANSWERS = { q: { action: 'accept', content: {} } }
const AT = new Date(0).toISOString()
const REFUSED = { error: { code: -32602 } }

const DONE = {
  status: 'completed',
  createdAt: AT,
  lastUpdatedAt: AT,
  ttlMs: 1000,
  result: { resultType: 'complete', content: [] },
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A modern server that trusts all who ask: its tasks are numbered, its state is plain. */
async function trustingTarget(): Promise<ScriptedTarget> {
  const task = { taskId: '1', status: 'working', createdAt: AT, lastUpdatedAt: AT, ttlMs: 60_000 }
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
      if (name === 'work') return { resultType: 'task', ...task }
      if (requestState !== undefined) return { content: [{ type: 'text', text: `state ${requestState}` }] }
      return { resultType: 'input_required', inputRequests: { q: QUESTION }, requestState: 'plain' }
    },
    'tasks/get': ({ params: { taskId } }) => ({
      ...task,
      taskId,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    }),
    'tasks/update': () => ({}),
    'tasks/cancel': () => ({}),
    'tasks/list': () => ({ tasks: [task] }),
    'tasks/result': () => ({ content: [] }),
  })
  closing.push(() => target.close())
  return target
}

const keyOf = (who: string): string => `key-of-${who}-0123456789`

/** Ann may use everything; of `m` Ben may not use `work`. */
async function guarded(target: ScriptedTarget, config: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({
    mcpServers: { m: { url: target.url }, other: { url: target.url } },
    auth: { apiKeys: ['ann', 'ben'].map((name) => ({ name, key: keyOf(name) })) },
    policy: { rules: [{ who: { apiKeys: ['ben'] }, deny: ['m/work'] }] },
    ...config,
  })
  closing.push(() => gateway.close())
  return gateway
}

function asking(gateway: TestGateway, who: string, path = '') {
  const headers = { authorization: `Bearer ${keyOf(who)}` }
  return async (method: string, params: Record<string, unknown>) =>
    (await modernRequest(gateway.endpoint + path, method, params, { headers, capabilities: DECLARED }))
      .message
}

/** What callers asked for; the gateway asks for lists and listens by itself, at any time. */
const relayed = (target: ScriptedTarget): string[] =>
  target.calls.map((one) => one.method).filter((method) => /^tasks\/|^tools\/call$/.test(method))

const rpcOf = (target: ScriptedTarget, method: string): number =>
  target.calls.filter((one) => one.method === method).length

describe('a task of a modern target', () => {
  it('belongs to its caller: for others it does not exist', async () => {
    const target = await trustingTarget()
    const gateway = await guarded(target, { policy: {} })
    const [ann, ben] = [asking(gateway, 'ann'), asking(gateway, 'ben')]
    const { taskId } = (await ann('tools/call', { name: 'm_work', arguments: {} })).result
    expect((await ann('tasks/get', { taskId })).result).toMatchObject({
      taskId,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    })
    const before = relayed(target)
    for (const [method, params] of [
      ['tasks/get', {}],
      ['tasks/cancel', {}],
      ['tasks/update', { inputResponses: ANSWERS }],
    ] as const) {
      for (const guess of [taskId, 'm:1', '1', `${taskId.slice(0, -2)}xx`]) {
        expect(await ben(method, { ...params, taskId: guess })).toMatchObject(REFUSED)
      }
      expect(await ann(method, { ...params, taskId: 'm:1' })).toMatchObject(REFUSED)
      // Another endpoint is another place.
      expect(await asking(gateway, 'ann', '/m')(method, { ...params, taskId })).toMatchObject(REFUSED)
    }
    expect(relayed(target)).toEqual(before)
    expect(await ann('tasks/cancel', { taskId })).toMatchObject({ result: {} })
    expect(rpcOf(target, 'tasks/cancel')).toBe(1)
  })

  it('is not reached by methods that the gateway does not have', async () => {
    const target = await trustingTarget()
    const gateway = await guarded(target, { policy: {} })
    for (const path of ['', '/m']) {
      const ann = asking(gateway, 'ann', path)
      for (const method of ['tasks/list', 'tasks/result', 'tasks/other']) {
        expect(await ann(method, { taskId: '1' })).toMatchObject({ error: { code: -32601 } })
      }
    }
    expect(rpcOf(target, 'tasks/list') + rpcOf(target, 'tasks/result')).toBe(0)
  })

  it('is asked about with the policy of today', async () => {
    const target = await trustingTarget()
    const gateway = await guarded(target, { policy: {} })
    const ben = asking(gateway, 'ben')
    const { taskId } = (await ben('tools/call', { name: 'm_work', arguments: {} })).result
    expect((await ben('tasks/get', { taskId })).result.taskId).toBe(taskId)
    const policy = { fallback: 'allow', rules: [denyOf('ben', 'm', 'work')] } as const
    await gateway.gateway.apply({ ...gateway.gateway.model, policy })
    const before = relayed(target)
    for (const method of ['tasks/get', 'tasks/cancel']) {
      expect(await ben(method, { taskId })).toMatchObject(REFUSED)
    }
    expect(relayed(target)).toEqual(before)
  })

  it('is heard by its caller alone', async () => {
    const target = await trustingTarget()
    const gateway = await guarded(target, { policy: {} })
    const { taskId } = (await asking(gateway, 'ann')('tools/call', { name: 'm_work', arguments: {} })).result
    const heard: Record<string, { method: string; params: Record<string, unknown> }[]> = { ann: [], ben: [] }
    const abort = new AbortController()
    closing.push(() => abort.abort())
    for (const who of ['ann', 'ben']) {
      const params = { notifications: { taskIds: [taskId, 'm:1'] } }
      const options = { headers: { authorization: `Bearer ${keyOf(who)}` } }
      const hear = (one: unknown) => heard[who]!.push(one as never)
      void listenRaw(gateway.endpoint, params, DECLARED, abort.signal, hear, options)
    }
    await expect.poll(() => heard.ann!.length + heard.ben!.length).toBe(2)
    expect(heard.ann![0]!.params).toMatchObject({ notifications: { taskIds: [taskId] } })
    expect(heard.ben![0]!.params).toMatchObject({ notifications: { taskIds: [] } })
    target.announce('notifications/tasks', { ...DONE, taskId: '2' })
    target.announce('notifications/tasks', { ...DONE, taskId: '1' })
    await expect.poll(() => heard.ann!.length).toBe(2)
    expect(heard.ann![1]!.params).toMatchObject({ taskId, status: 'completed' })
    expect(heard.ben!.length).toBe(1)
  })
})

describe('the requestState of a modern target', () => {
  it('is sealed, and good for the same caller, endpoint, target, tool and arguments only', async () => {
    const target = await trustingTarget()
    const gateway = await guarded(target)
    const [ann, ben] = [asking(gateway, 'ann'), asking(gateway, 'ben')]
    const call = { name: 'm_ask', arguments: { to: 'x', and: ['y'] } }
    const { requestState } = (await ann('tools/call', call)).result
    expect(requestState).not.toContain('plain')
    const again = { ...call, inputResponses: ANSWERS, requestState }
    const before = relayed(target)
    expect(await ben('tools/call', again)).toMatchObject(REFUSED)
    expect(await ann('tools/call', { ...again, requestState: 'plain' })).toMatchObject(REFUSED)
    expect(await ann('tools/call', { ...again, requestState: 7 })).toMatchObject(REFUSED)
    expect(await ann('tools/call', { ...again, arguments: { to: 'z', and: ['y'] } })).toMatchObject(REFUSED)
    expect(await ann('tools/call', { ...again, arguments: undefined })).toMatchObject(REFUSED)
    expect(await ann('tools/call', { ...again, name: 'm_work' })).toMatchObject(REFUSED)
    expect(await ann('tools/call', { ...again, name: 'other_ask' })).toMatchObject(REFUSED)
    expect(await asking(gateway, 'ann', '/m')('tools/call', { ...again, name: 'ask' })).toMatchObject(REFUSED)
    expect(relayed(target)).toEqual(before)
    // The order of members is the client's.
    const { result } = await ann('tools/call', { ...again, arguments: { and: ['y'], to: 'x' } })
    expect(result.content[0].text).toBe('state plain')
  })

  it('expires', async () => {
    const target = await trustingTarget()
    const gateway = await guarded(target, { server: { limits: { parkedFor: 1 } } })
    const ann = asking(gateway, 'ann')
    const call = { name: 'm_ask', arguments: {} }
    const { requestState } = (await ann('tools/call', call)).result
    const again = { ...call, inputResponses: ANSWERS, requestState }
    await expect.poll(() => ann('tools/call', again)).toMatchObject(REFUSED)
  })

  it('goes through a gateway behind a gateway', async () => {
    const inner = await guarded(await trustingTarget())
    const headers = { Authorization: `Bearer ${keyOf('ann')}` }
    const outer = await testGateway({
      mcpServers: { g: { url: inner.endpoint, headers } },
      auth: { apiKeys: ['ann', 'ben'].map((name) => ({ name, key: keyOf(name) })) },
    })
    closing.push(() => outer.close())
    const [ann, ben] = [asking(outer, 'ann'), asking(outer, 'ben')]
    const call = { name: 'g_m_ask', arguments: { to: 'x' } }
    const { requestState } = (await ann('tools/call', call)).result
    const again = { ...call, inputResponses: ANSWERS, requestState }
    expect(await ben('tools/call', again)).toMatchObject(REFUSED)
    expect((await ann('tools/call', again)).result.content[0].text).toBe('state plain')
    const { taskId } = (await ann('tools/call', { name: 'g_m_work' })).result
    expect(await ben('tasks/get', { taskId })).toMatchObject(REFUSED)
    expect((await ann('tasks/get', { taskId })).result.taskId).toBe(taskId)
  })
})

function denyOf(key: string, target: string, name: string) {
  return {
    name: 'deny',
    who: { principals: [], scopes: [], apiKeys: [key] },
    allow: [],
    deny: [parseObjectPattern(`${target}/${name}`)],
  }
}
