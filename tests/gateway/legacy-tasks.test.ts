import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import type { Exchange, Outcome } from '@gantry/mcp/exchange'
import { tasks } from '@gantry/mcp/extensions/tasks'
import { Server, tool } from '@gantry/mcp/server'
import { serveHttp } from '../support/http-targets.ts'
import { listenRaw, modernRequest, type RawAnswer } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const DECLARED = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } }
const NAME = { type: 'object', properties: { name: { type: 'string' } } }
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function gatewayTo(entry: object, config: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers: { old: entry }, ...config })
  closing.push(() => gateway.close())
  return gateway
}

async function legacyClient(gateway: TestGateway): Promise<Client> {
  const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada', interpretation: 'snake' } })
  const client = await connect(gateway.endpoint, { era: 'legacy', elicit })
  closing.push(() => client.close())
  return client
}

const asking =
  ({ endpoint }: TestGateway, headers: Record<string, string> = {}) =>
  (method: string, params: Record<string, unknown>): Promise<RawAnswer> =>
    modernRequest(endpoint, method, params, { capabilities: DECLARED, headers })

describe('an older server that says which tools take long', () => {
  const SUPPORT: Record<string, string> = { greet: 'optional', must: 'required', work: 'optional' }
  let stopped: Promise<void>

  /** As 2025-11-25 has it: the tools say so, and without the capability there are no tasks upstream. */
  async function announce(exchange: Exchange, next: () => Outcome | Promise<Outcome>): Promise<Outcome> {
    const outcome = await next()
    if (exchange.method !== 'tools/list' || outcome.type !== 'complete') return outcome
    const tools = (outcome.result.tools as { name: string }[]).map((one) => ({
      ...one,
      ...(SUPPORT[one.name] && { execution: { taskSupport: SUPPORT[one.name] } }),
    }))
    return { type: 'complete', result: { ...outcome.result, tools } }
  }

  async function older(config: object = {}): Promise<TestGateway> {
    let onStop: () => void = () => {}
    stopped = new Promise((resolve) => {
      onStop = resolve
    })
    const app = new Server({
      name: 'old',
      revisions: ['2025-11-25'],
      middleware: [announce],
      tools: {
        quick: tool({ run: () => 'at once' }),
        must: tool({ run: () => 'done' }),
        greet: tool({
          run: async (_, ctx) => `Hello ${((await ctx.elicit('Name?', NAME)) as { name: string }).name}`,
        }),
        work: tool({
          run: (_, ctx) => {
            ctx.signal.addEventListener('abort', onStop)
            return new Promise<string>(() => {})
          },
        }),
      },
    })
    const served = await serveHttp(app)
    closing.push(() => served.close())
    return gatewayTo({ url: served.url }, config)
  }

  it('gets tasks of the gateway’s own for clients that can follow them, questions included', async () => {
    const gateway = await older()
    const ask = asking(gateway)
    const discovered = (await ask('server/discover', {})).message.result
    expect(discovered.capabilities.extensions).toHaveProperty(['io.modelcontextprotocol/tasks'])
    expect((await ask('tools/call', { name: 'old_quick' })).message.result.resultType).toBe('complete')

    const { result } = (await ask('tools/call', { name: 'old_greet' })).message
    expect(result).toMatchObject({ resultType: 'task', status: 'working' })
    const { taskId } = result
    const heard: { method: string; params: { taskId?: string; status?: string } }[] = []
    const abort = new AbortController()
    closing.push(() => abort.abort())
    void listenRaw(
      gateway.endpoint,
      { notifications: { taskIds: [taskId, 'unknown'] } },
      DECLARED,
      abort.signal,
      (one) => heard.push(one as never),
    )
    await expect.poll(() => heard[0]).toMatchObject({ params: { notifications: { taskIds: [taskId] } } })
    const get = async () => (await ask('tasks/get', { taskId })).message.result
    await expect.poll(async () => (await get()).status).toBe('input_required')
    const [key] = Object.keys((await get()).inputRequests)
    const inputResponses = { [key!]: { action: 'accept', content: { name: 'Ada' } } }
    await ask('tasks/update', { taskId, inputResponses })
    await expect.poll(async () => (await get()).status).toBe('completed')
    expect((await get()).result.content).toMatchObject([{ text: 'Hello Ada' }])
    await expect
      .poll(() => heard.filter((one) => one.method === 'notifications/tasks').map((one) => one.params))
      .toContainEqual(expect.objectContaining({ taskId, status: 'completed' }))
    expect((await ask('tasks/get', { taskId: 'unknown' })).message.error.code).toBe(-32602)
  })

  it('is told when a task is cancelled', async () => {
    const gateway = await older()
    const ask = asking(gateway)
    const { taskId } = (await ask('tools/call', { name: 'old_work' })).message.result
    await expect.poll(() => gateway.gateway.target('old')!.main.slots.used).toBe(1)
    await ask('tasks/cancel', { taskId })
    await stopped
    expect((await ask('tasks/get', { taskId })).message.result.status).toBe('cancelled')
    await expect.poll(() => gateway.gateway.target('old')!.main.slots.used).toBe(0)
  })

  it('serves everybody else as ever, also where a task is a must', async () => {
    const gateway = await older()
    const must = await modernRequest(gateway.endpoint, 'tools/call', { name: 'old_must' })
    expect(must.message.result.content).toMatchObject([{ text: 'done' }])
    expect((await modernRequest(gateway.endpoint, 'tasks/get', { taskId: 'x' })).message.error.code).toBe(
      -32021,
    )
    const client = await legacyClient(gateway)
    for await (const one of client.listTools()) expect(one).not.toHaveProperty('execution')
    expect((await client.call('old_must')).text()).toBe('done')
    expect((await client.call('old_greet')).text()).toBe('Hello Ada')
  })

  it('keeps a task to the one who made it', async () => {
    const apiKeys = ['ann', 'ben'].map((name) => ({ name, key: `key-of-${name}-0123456789` }))
    const gateway = await older({ auth: { apiKeys } })
    const ann = asking(gateway, { authorization: 'Bearer key-of-ann-0123456789' })
    const ben = asking(gateway, { authorization: 'Bearer key-of-ben-0123456789' })
    const { taskId } = (await ann('tools/call', { name: 'old_work' })).message.result
    for (const method of ['tasks/get', 'tasks/cancel']) {
      expect((await ben(method, { taskId })).message.error.code).toBe(-32602)
    }
    expect((await ann('tasks/get', { taskId })).message.result.status).toBe('working')
  })
})

describe('a server with the tasks of 2025-11-25', () => {
  const require = createRequire(import.meta.url)
  const everything = join(
    require.resolve('@modelcontextprotocol/server-everything/package.json'),
    '../dist/index.js',
  )
  const entry = { command: process.execPath, args: [everything, 'stdio'] }
  const call = {
    name: 'old_simulate-research-query',
    arguments: { topic: 'python', ambiguous: true },
  }

  it('lets older clients wait for a tool that insists on a task, and asks them', async () => {
    const client = await legacyClient(await gatewayTo(entry))
    const result = await client.call(call.name, call.arguments)
    expect(result.text()).toMatch(/snake/)
    expect(result.raw._meta ?? {}).not.toHaveProperty(['io.modelcontextprotocol/related-task'])
  })

  it('keeps the process of a call that has one of its own until the task is over', async () => {
    const gateway = await gatewayTo({ ...entry, isolation: 'call' })
    const client = await legacyClient(gateway)
    expect((await client.call(call.name, { topic: 'python' })).text()).toMatch(/python/)
    await expect.poll(() => gateway.gateway.target('old')!.instances.map(({ key }) => key)).toEqual([''])
  })

  it('gives modern clients a task for it', async () => {
    const ask = asking(await gatewayTo(entry))
    const { taskId } = (await ask('tools/call', call)).message.result
    const get = async () => (await ask('tasks/get', { taskId })).message.result
    await expect.poll(async () => (await get()).status).toBe('input_required')
    const [key] = Object.keys((await get()).inputRequests)
    const inputResponses = { [key!]: { action: 'accept', content: { interpretation: 'snake' } } }
    await ask('tasks/update', { taskId, inputResponses })
    await expect.poll(async () => (await get()).status).toBe('completed')
    expect((await get()).result.content[0].text).toMatch(/snake/)
  })
})

describe('a client of 2025-11-25 that has heard of tasks', () => {
  async function clientOf(app: Server): Promise<Client> {
    const served = await serveHttp(app)
    closing.push(() => served.close())
    return legacyClient(await gatewayTo({ url: served.url }))
  }

  it('is told of none, and gets results of calls that ask for one', async () => {
    const tools = {
      may: tool({ task: 'optional', run: async () => 'done' }),
      must: tool({ task: 'required', run: async () => 'had to' }),
    }
    for (const revisions of [['2025-11-25'], undefined] as const) {
      const app = new Server({ name: 'old', tools, ...(revisions && { revisions: [...revisions] }) })
      tasks(app, { pollInterval: 20 })
      const client = await clientOf(app)
      await client.connect()
      expect(client.serverCapabilities).not.toHaveProperty('tasks')
      for (const [name, text] of [
        ['may', 'done'],
        ['must', 'had to'],
      ] as const) {
        const result = await client.request('tools/call', { name: `old_${name}`, task: { ttl: 1000 } })
        expect(result).toMatchObject({ content: [{ text }] })
        expect(result).not.toHaveProperty('task')
      }
    }
  })

  it('waits for a task that works longer than a server may be silent', async () => {
    const app = new Server({ name: 'old', revisions: ['2025-11-25'] })
    app.tool('must', {
      task: 'required',
      run: () => new Promise((resolve) => setTimeout(resolve, 900, 'done')),
    })
    tasks(app, { pollInterval: 100 })
    const served = await serveHttp(app)
    closing.push(() => served.close())
    const client = await legacyClient(await gatewayTo({ url: served.url, timeouts: { idle: '600ms' } }))
    expect((await client.call('old_must')).text()).toBe('done')
  })

  it('cannot reach the tasks of others, which the gateway shares a connection with', async () => {
    const app = new Server({ name: 'old', revisions: ['2025-11-25'] })
    app.tool('may', { task: 'optional', run: async () => 'done' })
    tasks(app)
    const client = await clientOf(app)
    for (const method of ['tasks/list', 'tasks/get', 'tasks/result', 'tasks/cancel']) {
      const params = method === 'tasks/list' ? {} : { taskId: 'x' }
      await expect(client.request(method, params)).rejects.toMatchObject({ code: -32601 })
    }
  })

  it('hears of the progress of a task between the gateway and its target', async () => {
    const app = new Server({ name: 'old', revisions: ['2025-11-25'] })
    app.tool('must', {
      task: 'required',
      run: async (_, ctx) => {
        await ctx.elicit('Name?', NAME)
        await ctx.progress(1, 2, 'half')
        return 'done'
      },
    })
    tasks(app, { pollInterval: 20 })
    const client = await clientOf(app)
    const progress: unknown[] = []
    const result = await client.call('old_must', {}, { onProgress: (one) => progress.push(one) })
    expect(result.text()).toBe('done')
    expect(progress).toEqual([{ progress: 1, total: 2, message: 'half' }])
  })
})
