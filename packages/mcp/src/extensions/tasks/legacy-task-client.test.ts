import { afterEach, describe, expect, it } from 'vitest'
import { Client, type ClientOptions } from '../../client/index.ts'
import type { Connector } from '../../exchange/index.ts'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { META, type Revision } from '../../protocol/index.ts'
import { Server, tool } from '../../server/index.ts'
import { expectObjections } from '../../testing/fixtures/objections.test.support.ts'
import { until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { memory } from '../../transport/memory.ts'
import { createTaskClient, tasks, type Task, type TaskClientOptions } from './index.ts'
import { overHttp, overSocket } from './serve-tasks.test.node.ts'
import { elicit, gate, NAME, unhappyTools } from './tasks.test.support.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function createApp(opened: Promise<void> = Promise.resolve()) {
  const { tools, aborted } = unhappyTools()
  const app = new Server({
    name: 'studio',
    tools: {
      ...tools,
      render: tool({ task: 'optional', run: () => opened.then(() => 'rendered') }),
      must: tool({ task: 'required', run: () => opened.then(() => 'had to') }),
      plain: tool({ run: async () => 'plain' }),
      ask: tool({
        task: 'required',
        run: async (_, ctx) => {
          await ctx.progress(1, 2, 'asking')
          const { name } = await ctx.elicit('Name?', NAME)
          await ctx.progress(2, 2, 'asked')
          const sure = await ctx.confirm(`Sure, ${name}?`)
          return `${name} ${sure}`
        },
      }),
    },
  })
  const jobs = tasks(app, { pollInterval: 10 })
  return { app, jobs, aborted }
}

const LEGACY = { protocolVersion: '2025-11-25' as Revision }

function open(connector: Connector, options: ClientOptions = LEGACY, more: TaskClientOptions = {}) {
  const client = new Client({ connector, elicit, ...options })
  closing.push(() => client.close())
  return { client, runs: createTaskClient(client, more) }
}

/** What the client sent. */
function watched(app: Server) {
  const sent: { method: string; params: JsonObject }[] = []
  const onTraffic = (direction: string, text: string): void => {
    const message = JSON.parse(text)
    if (direction === 'to-server' && message.method) sent.push(message)
  }
  return { connector: memory(app, { onTraffic }), sent, methods: () => sent.map(({ method }) => method) }
}

it('tells the progress of a task of 2025-11-25 once and in order, however often the task is looked at', async () => {
  const { connector, methods } = watched(createApp().app)
  const looks = (): number => methods().filter((method) => method === 'tasks/get').length
  const { client } = open(connector, {
    ...LEGACY,
    elicit: async (question) => {
      const before = looks()
      await until(() => looks() > before + 2)
      return elicit(question as { message: string })
    },
  })
  const progress: unknown[] = []
  await client.call('ask', {}, { onProgress: ({ message }) => progress.push(message) })
  expect(progress).toEqual(['asking', 'asked'])
})

describe.each([
  ['memory', async (app: Server): Promise<Connector> => memory(app)],
  ['a line of text', overSocket],
  ['HTTP', overHttp],
] as const)('a task of 2025-11-25, over %s', (_place, connect) => {
  it('is awaited as if there were none, with its questions and its progress', async () => {
    const { client } = open(await connect(createApp().app))
    expect((await client.call('render')).text()).toBe('rendered')
    expect((await client.call('must')).text()).toBe('had to')
    expect((await client.call('plain')).text()).toBe('plain')
    const progress: unknown[] = []
    const asked = await client.call('ask', {}, { onProgress: ({ message }) => progress.push(message) })
    expect(asked.text()).toBe('Ann true')
    expect(asked.raw).not.toHaveProperty('_meta')
    expect(progress.at(-1)).toBe('asked')
    expect((await client.call('tool_error')).isError).toBe(true)
    await expect(client.call('broken')).rejects.toMatchObject({ code: -32000, message: 'no such thing' })
  })

  it('is a handle that can be saved, looked at, listed, followed and cancelled', async () => {
    const { opened, open: go } = gate()
    const { app, jobs, aborted } = createApp(opened)
    const { runs } = open(await connect(app))
    const run = await runs.start('render', {}, { ttl: '5m' })
    const taskId = String(run.taskId)
    expect(await run.status()).toMatchObject({ status: 'working', ttlMs: 300_000, pollIntervalMs: 10 })
    expect(await runs.get(taskId)).toMatchObject({ taskId, status: 'working' })
    expect((await runs.list().all()).map((task) => task.taskId)).toEqual([taskId])
    const again = runs.resume(JSON.parse(JSON.stringify(run)))
    const waiting = Promise.all([again.result(), runs.result(taskId)])
    go()
    expect((await waiting).map((result) => result.text())).toEqual(['rendered', 'rendered'])
    expect(await run.status()).toMatchObject({ status: 'completed' })
    await expect(run.cancel()).rejects.toMatchObject({ code: -32602 })

    const endless = await runs.start('forever')
    const result = endless.result()
    const failed = expect(result).rejects.toMatchObject({ code: 'cancelled' })
    expect(await runs.cancel(String(endless.taskId))).toMatchObject({ status: 'cancelled' })
    await failed
    expect(aborted()).toBe(1)
    await until(() => jobs.running === 0)
  })

  it('is cancelled with its call, and left alone by who only follows it', async () => {
    const { app, aborted } = createApp()
    const { client, runs } = open(await connect(app))
    const abort = new AbortController()
    const calling = client.call('forever', {}, { signal: abort.signal })
    const listed = async () => (await runs.list().all()).filter(({ status }) => status === 'working')
    while ((await listed()).length === 0);
    abort.abort()
    await expect(calling).rejects.toMatchObject({ code: 'cancelled' })
    await until(() => aborted() === 1)

    const run = await runs.start('forever')
    const following = new AbortController()
    const result = run.result({ signal: following.signal })
    await run.status()
    following.abort()
    await expect(result).rejects.toMatchObject({ code: 'cancelled' })
    expect(await run.status()).toMatchObject({ status: 'working' })
    await run.cancel()
  })

  it('is its session’s alone, and ends with it', async () => {
    const { app, jobs, aborted } = createApp()
    const connector = await connect(app)
    const [{ client, runs }, { runs: others }] = [open(connector), open(connector)]
    const { taskId } = await runs.start('forever')
    await expect(others.get(String(taskId))).rejects.toMatchObject({ code: -32602 })
    await expect(others.cancel(String(taskId))).rejects.toMatchObject({ code: -32602 })
    await expect(others.result(String(taskId))).rejects.toMatchObject({ code: -32602 })
    expect(await others.list().all()).toEqual([])
    expect(await runs.get(String(taskId))).toMatchObject({ status: 'working' })
    await client.close()
    await until(() => aborted() === 1 && jobs.running === 0, 'the end of the task')
  })

  it('announces its status', async () => {
    const { opened, open: go } = gate()
    const { client, runs } = open(await connect(createApp(opened).app))
    await client.connect()
    const seen: Task[] = []
    const stop = runs.onStatus((task) => seen.push(task))
    const { taskId } = await runs.start('render')
    go()
    await until(() => seen.length === 1, 'the announcement')
    expect(seen[0]).toMatchObject({ taskId, status: 'completed', ttlMs: 3_600_000 })
    stop()
  })
})

describe('what the client answers a server of 2025-11-25', () => {
  it('names the task that a question belongs to', async () => {
    const heard: JsonObject[] = []
    const onTraffic = (direction: string, text: string): void => {
      if (direction === 'to-server') heard.push(JSON.parse(text))
    }
    const { client, runs } = open(memory(createApp().app, { onTraffic }))
    const run = await runs.start('ask')
    expect((await run.result()).text()).toBe('Ann true')
    const answers = heard.filter((message) => 'result' in message).map(({ result }) => result)
    expect(answers).toHaveLength(2)
    for (const answer of answers) {
      expect(answer).toMatchObject({ _meta: { [META.relatedTask]: { taskId: run.taskId } } })
    }
    await client.close()
  })

  it('declares no tasks of its own, and takes a question that asks for one as any other', async () => {
    const { app } = createApp()
    app.tool('asks_for_task', {
      run: async (_, ctx) => {
        const params = { message: 'Name?', requestedSchema: NAME, task: { ttl: 1000 } }
        const answers = await ctx.exchange.ask!({ who: { method: 'elicitation/create', params } })
        return JSON.stringify(answers.who)
      },
    })
    const { client } = open(memory(app))
    expect((await client.call('asks_for_task')).json()).toEqual({
      action: 'accept',
      content: { name: 'Ann' },
    })
    expect(client.capabilities).not.toHaveProperty('tasks')
  })
})

describe('which calls the client makes tasks of', () => {
  it('those of tools that allow it, found in their list once', async () => {
    const { connector, sent, methods } = watched(createApp().app)
    const { client } = open(connector)
    for (const name of ['render', 'plain', 'must', 'render']) await client.call(name)
    expect(methods().filter((method) => method === 'tools/list')).toHaveLength(1)
    const calls = sent.filter(({ method }) => method === 'tools/call')
    expect(calls.map(({ params }) => [params.name, params.task])).toEqual([
      ['render', {}],
      ['plain', undefined],
      ['must', {}],
      ['render', {}],
    ])
  })

  it('none of a server that declares no tasks', async () => {
    const app = new Server({ name: 'old', tools: { render: tool({ task: 'required', run: () => 'done' }) } })
    const { connector, methods } = watched(app)
    const { client, runs } = open(connector)
    expect((await client.call('render')).text()).toBe('done')
    const run = await runs.start('render')
    expect(run.taskId).toBeUndefined()
    expect((await run.result()).text()).toBe('done')
    expect(methods()).not.toContain('tools/list')
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'] as const)('none in %s', async (protocolVersion) => {
    const { connector, sent } = watched(createApp().app)
    const { client } = open(connector, { protocolVersion })
    expect((await client.call('must')).text()).toBe('had to')
    expect(sent.every(({ params }) => params?.task === undefined)).toBe(true)
  })

  it('none on an endpoint without sessions, which has nobody to keep them for', async () => {
    const { app } = createApp()
    const { client, runs } = open(await overHttp(app, { statelessLegacy: true }))
    expect((await client.call('must')).text()).toBe('had to')
    expect(client.serverCapabilities).not.toHaveProperty('tasks')
    const asked = await client.request('tools/call', { name: 'render', task: { ttl: 1000 } })
    expect(asked).toMatchObject({ content: [{ text: 'rendered' }] })
    await expect(runs.get('x')).rejects.toMatchObject({ code: -32601 })
    await expect(runs.list().all()).rejects.toMatchObject({ code: -32601 })
  })

  it('as the tool has it now, when it changed its mind since it was listed', async () => {
    const app = new Server({ name: 'studio' })
    tasks(app, { pollInterval: 10 })
    const fickle = app.tool('fickle', { run: async () => 'done' }).tool('fickle')
    const { connector, sent } = watched(app)
    const { client } = open(connector)
    expect((await client.call('fickle')).text()).toBe('done')
    fickle.update({ task: 'required' })
    expect((await client.call('fickle')).text()).toBe('done')
    fickle.update({ task: undefined as never })
    expect((await client.call('fickle')).text()).toBe('done')
    const calls = sent.filter(({ method }) => method === 'tools/call')
    expect(calls.map(({ params }) => params.task)).toEqual([undefined, undefined, {}, {}, undefined])
  })
})

describe('a server of 2025-11-25 that misbehaves', () => {
  const createdAt = '2025-11-25T00:00:00Z'
  const task = {
    taskId: 't',
    status: 'working',
    createdAt,
    lastUpdatedAt: createdAt,
    ttl: 50,
    pollInterval: 5,
  }

  /** Says whatever a test wants about the task of its only tool. */
  function hostile(answers: Record<string, (count: number) => JsonObject | Promise<JsonObject>>) {
    const counts = new Map<string, number>()
    const app = new Server({
      name: 'hostile',
      tools: { call: tool({ task: 'optional', run: () => 'never' }) },
      middleware: [
        async (exchange, next) => {
          const { method, params } = exchange
          const answer = method === 'tools/call' && !params.task ? undefined : answers[method]
          if (!answer) return next()
          const count = counts.get(method) ?? 0
          counts.set(method, count + 1)
          return { type: 'complete', result: await answer(count) }
        },
      ],
    })
    tasks(app)
    return app
  }
  const never = () => new Promise<JsonObject>(() => {})

  it.each([
    ['a task without an id', { task: { ...task, taskId: undefined } }],
    ['a status of its own', { task: { ...task, status: 'thinking' } }],
  ])('is told apart: %s', async (_, created) => {
    expectObjections(/CreateTaskResult/, 'has a server describe its task wrongly')
    const { client } = open(memory(hostile({ 'tools/call': () => created as JsonObject })))
    await expect(client.call('call')).rejects.toMatchObject({ code: 'bad_response' })
  })

  it('may answer at once all the same', async () => {
    const content = [{ type: 'text', text: 'at once' }]
    const { client } = open(memory(hostile({ 'tools/call': () => ({ content }) })))
    expect((await client.call('call')).text()).toBe('at once')
  })

  it('is given up when it outlives its own lifetime', async () => {
    const app = hostile({ 'tools/call': () => ({ task }), 'tasks/get': () => task, 'tasks/result': never })
    const { client } = open(memory(app))
    await expect(client.call('call')).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('lifetime'),
    })
  })

  it('is asked for the result again when it was silent for too long', async () => {
    const content = [{ type: 'text', text: 'late' }]
    const lasting = { ...task, ttl: 60_000 }
    const app = hostile({
      'tools/call': () => ({ task: lasting }),
      'tasks/get': () => lasting,
      'tasks/result': (count) => (count < 2 ? never() : { content }),
    })
    const { client } = open(memory(app), { ...LEGACY, timeout: 50 })
    expect((await client.call('call')).text()).toBe('late')
  })
})
