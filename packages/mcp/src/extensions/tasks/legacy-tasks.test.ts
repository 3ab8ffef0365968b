import { describe, expect, it } from 'vitest'
import { isJsonObject, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import { LEGACY_REVISIONS, META, type Revision } from '../../protocol/index.ts'
import { inputRequired, MemoryStore, Server, tool, ToolError, type Store } from '../../server/index.ts'
import { quiet, RawPeer, until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { becomeTask, tasks, type TasksOptions } from './index.ts'
import { gate, textOf, NAME } from './tasks.test.support.ts'

const CAPABILITIES = { elicitation: {}, sampling: {} }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

type Tools = Record<string, ReturnType<typeof tool>>

function serve(tools: Tools, options: TasksOptions = {}, store?: Store) {
  const app = new Server({ name: 'studio', tools, ...(store && { store }) })
  return { app, jobs: tasks(app, { pollInterval: 20, ...options }) }
}

/** A client of a session, written out by hand. */
async function join(app: Server, version: Revision = '2025-11-25', principal?: string) {
  const auth = principal === undefined ? undefined : { principal, scopes: [], claims: {} }
  const peer = new RawPeer(app, { auth })
  const clientInfo = { name: 'raw', version: '1' }
  const greeted = await peer.request('initialize', {
    protocolVersion: version,
    capabilities: CAPABILITIES,
    clientInfo,
  })
  peer.notify('notifications/initialized')
  return { peer, capabilities: (greeted.result as JsonObject).capabilities as JsonObject }
}

async function create(peer: RawPeer, name: string, task: JsonObject = {}, more: JsonObject = {}) {
  const { result, error } = await peer.request('tools/call', { name, task, ...more })
  if (error) throw new Error(JSON.stringify(error))
  return (result as { task: JsonObject & { taskId: string; status: string } }).task
}

const get = async (peer: RawPeer, taskId: string) => (await peer.request('tasks/get', { taskId })).result
const result = (peer: RawPeer, taskId: string) => peer.request('tasks/result', { taskId })
const listed = async (peer: RawPeer, params: JsonObject = {}) => {
  const { tasks: found } = (await peer.request('tasks/list', params)).result as { tasks: JsonObject[] }
  return found.map(({ taskId }) => taskId)
}
async function reached(peer: RawPeer, taskId: string, status: string): Promise<void> {
  while (((await get(peer, taskId)) as JsonObject).status !== status) await quiet(1)
}
const relatedTask = (value: unknown): unknown => {
  const meta = isJsonObject(value) ? value._meta : undefined
  return isJsonObject(meta) ? meta[META.relatedTask] : undefined
}
const asked = (peer: RawPeer, method: string): Promise<JsonObject & { id: number; params: JsonObject }> =>
  until(() => peer.heard.find((m) => m.method === method) as never, method)

describe('what clients of 2025-11-25 are told of tasks', () => {
  const tools: Tools = {
    may: tool({ task: 'optional', run: async () => 'done' }),
    must: tool({ task: 'required', run: async () => 'done' }),
    by_hand: tool({ task: 'manual', run: async () => 'done' }),
    never: tool({ run: async () => 'done' }),
  }

  it('declares what it can, and which tools can', async () => {
    const { peer, capabilities } = await join(serve(tools).app)
    expect(capabilities.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } })
    const { tools: found } = (await peer.request('tools/list')).result as { tools: JsonObject[] }
    expect(Object.fromEntries(found.map(({ name, execution }) => [name, execution]))).toEqual({
      may: { taskSupport: 'optional' },
      must: { taskSupport: 'required' },
      by_hand: { taskSupport: 'optional' },
      never: undefined,
    })
  })

  it.each(LEGACY_REVISIONS.filter((revision) => revision !== '2025-11-25'))(
    'is nothing to those of %s, whose calls are ordinary ones',
    async (revision) => {
      const { peer, capabilities } = await join(serve(tools).app, revision)
      expect(capabilities).not.toHaveProperty('tasks')
      expect(JSON.stringify(await peer.request('tools/list'))).not.toContain('taskSupport')
      for (const name of Object.keys(tools)) {
        const { result: done } = await peer.request('tools/call', { name, task: { ttl: 1000 } })
        expect(textOf(done)).toBe('done')
      }
      for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel']) {
        expect((await peer.request(method, { taskId: 'x' })).error).toMatchObject({ code: -32601 })
      }
    },
  )

  it('is nothing to modern clients', async () => {
    const peer = new RawPeer(serve(tools).app)
    const discovered = (await peer.modern('server/discover')).result as JsonObject
    expect(discovered.capabilities).not.toHaveProperty('tasks')
    expect(JSON.stringify(await peer.modern('tools/list'))).not.toContain('taskSupport')
    expect(textOf((await peer.modern('tools/call', { name: 'never', task: {} })).result)).toBe('done')
    for (const method of ['tasks/result', 'tasks/list']) {
      expect((await peer.modern(method, { taskId: 'x' })).error).toMatchObject({ code: -32601 })
    }
  })

  it('is nothing without the extension: such calls are ordinary ones', async () => {
    const { peer, capabilities } = await join(new Server({ name: 'plain', tools }))
    expect(capabilities).not.toHaveProperty('tasks')
    for (const name of Object.keys(tools)) {
      expect(textOf((await peer.request('tools/call', { name, task: {} })).result)).toBe('done')
    }
    expect((await peer.request('tasks/list')).error).toMatchObject({ code: -32601 })
  })

  it('refuses tools that must not, and that must, be called as tasks', async () => {
    const { peer } = await join(serve(tools).app)
    const never = await peer.request('tools/call', { name: 'never', task: {} })
    expect(never.error).toMatchObject({ code: -32601, message: expect.stringContaining('never') })
    const must = await peer.request('tools/call', { name: 'must' })
    expect(must.error).toMatchObject({ code: -32601, message: expect.stringContaining('task only') })
    expect(textOf((await peer.request('tools/call', { name: 'may' })).result)).toBe('done')
    expect((await peer.request('tools/call', { name: 'none', task: {} })).error).toMatchObject({
      code: -32602,
    })
  })

  it.each([
    ['no object', 'soon'],
    ['a list', []],
    ['a ttl that is text', { ttl: '60000' }],
    ['a ttl below nothing', { ttl: -1 }],
  ])('refuses what is no task: %s', async (_, task) => {
    const { peer } = await join(serve(tools).app)
    expect((await peer.request('tools/call', { name: 'may', task })).error).toMatchObject({ code: -32602 })
  })
})

describe('the life of a task of 2025-11-25', () => {
  it('begins with a handle, works, ends, and keeps its result', async () => {
    const { opened, open } = gate()
    const { app, jobs } = serve({ render: tool({ task: 'optional', run: () => opened.then(() => 'done') }) })
    const { peer } = await join(app)
    const task = await create(peer, 'render', { ttl: 60_000 })
    expect(task).toEqual({
      taskId: expect.stringMatching(UUID),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      ttl: 60_000,
      pollInterval: 20,
    })
    expect(await get(peer, task.taskId)).toEqual(task)
    const waiting = peer.start('tasks/result', { taskId: task.taskId })
    expect(await get(peer, task.taskId)).toMatchObject({ status: 'working' })
    expect(peer.heard.some(({ id }) => id === waiting)).toBe(false)
    open()
    const answer = (await peer.answerTo(waiting)).result
    expect(textOf(answer)).toBe('done')
    expect(relatedTask(answer)).toEqual({ taskId: task.taskId })
    const over = await get(peer, task.taskId)
    expect(over).toMatchObject({ status: 'completed', ttl: 60_000 })
    expect(over).not.toHaveProperty('result')
    expect(over).not.toHaveProperty('_meta')
    expect((await result(peer, task.taskId)).result).toEqual(answer)
    expect(jobs.running).toBe(0)
  })

  it('is a task even when it is over at once, and begins as working', async () => {
    const { peer } = await join(
      serve({ quick: tool({ task: 'optional', input: NAME, run: () => 'at once' }) }).app,
    )
    const task = await create(peer, 'quick', {}, { arguments: { name: 'x' } })
    expect(task.status).toBe('working')
    expect(textOf((await result(peer, task.taskId)).result)).toBe('at once')
  })

  it('gets what the client wants of a lifetime, but no more than the server allows', async () => {
    const { opened, open } = gate()
    const { peer } = await join(
      serve({ render: tool({ task: 'optional', run: () => opened }) }, { ttl: '1m' }).app,
    )
    expect((await create(peer, 'render', { ttl: 5_000 })).ttl).toBe(5_000)
    expect((await create(peer, 'render', { ttl: 3_600_000 })).ttl).toBe(60_000)
    expect((await create(peer, 'render')).ttl).toBe(60_000)
    open()
  })

  it('fails when the tool says that it failed, and gives back exactly what the call would have', async () => {
    const { peer } = await join(
      serve({
        refuses: tool({ task: 'optional', run: () => Promise.reject(new ToolError('no ink')) }),
        breaks: tool({
          task: 'optional',
          run: () => Promise.reject(new ProtocolError(-32000, 'no such thing', { at: 7 })),
        }),
        picky: tool({ task: 'optional', input: NAME, run: async () => 'never' }),
      }).app,
    )
    const refused = await create(peer, 'refuses')
    const plain = (await peer.request('tools/call', { name: 'refuses' })).result as JsonObject
    const answer = (await result(peer, refused.taskId)).result as JsonObject
    const { _meta, ...rest } = answer
    expect(rest).toEqual(plain)
    expect(relatedTask(answer)).toEqual({ taskId: refused.taskId })
    expect(await get(peer, refused.taskId)).toMatchObject({ status: 'failed', statusMessage: 'no ink' })

    const broken = await create(peer, 'breaks')
    const error = { code: -32000, message: 'no such thing', data: { at: 7 } }
    expect((await result(peer, broken.taskId)).error).toEqual(error)
    expect((await peer.request('tools/call', { name: 'breaks' })).error).toEqual(error)
    expect(await get(peer, broken.taskId)).toMatchObject({
      status: 'failed',
      statusMessage: 'no such thing',
    })

    const picky = await create(peer, 'picky', {}, { arguments: {} })
    expect((await result(peer, picky.taskId)).result).toMatchObject({ isError: true })
    expect(await get(peer, picky.taskId)).toMatchObject({ status: 'failed' })
  })

  it('drops structured content that the revision has no place for', async () => {
    const { peer } = await join(
      serve({ count: tool({ task: 'optional', output: { type: 'number' }, run: async () => 7 }) }).app,
    )
    const { taskId } = await create(peer, 'count')
    expect((await result(peer, taskId)).result).not.toHaveProperty('structuredContent')
  })

  it('is cancelled once: the handler is told, whoever waits gets an error, and so it stays', async () => {
    const { opened, open } = gate()
    let aborted = false
    const { app, jobs } = serve({
      render: tool({
        task: 'optional',
        run: async (_, ctx) => {
          ctx.signal.addEventListener('abort', () => {
            aborted = true
          })
          await opened
          return 'late'
        },
      }),
    })
    const { peer } = await join(app)
    const { taskId } = await create(peer, 'render')
    const waiting = peer.start('tasks/result', { taskId })
    const cancelled = await peer.request('tasks/cancel', { taskId })
    expect(cancelled.result).toMatchObject({ taskId, status: 'cancelled', ttl: 3_600_000 })
    expect(cancelled.result).not.toHaveProperty('_meta')
    expect(aborted).toBe(true)
    expect((await peer.answerTo(waiting)).error).toMatchObject({ message: 'The task was cancelled' })
    open()
    await until(() => jobs.running === 0, 'the end of the handler')
    expect(await get(peer, taskId)).toMatchObject({ status: 'cancelled' })
    expect((await peer.request('tasks/cancel', { taskId })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('cancelled already'),
    })
    expect((await result(peer, taskId)).error).toMatchObject({ message: 'The task was cancelled' })
  })

  it('cannot be cancelled when it is over', async () => {
    const { peer } = await join(
      serve({
        good: tool({ task: 'optional', run: async () => 'done' }),
        bad: tool({ task: 'optional', run: () => Promise.reject(new ToolError('no ink')) }),
      }).app,
    )
    for (const [name, status] of [
      ['good', 'completed'],
      ['bad', 'failed'],
    ] as const) {
      const { taskId } = await create(peer, name)
      await result(peer, taskId)
      const { error } = await peer.request('tasks/cancel', { taskId })
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(status) })
      expect(await get(peer, taskId)).toMatchObject({ status })
    }
  })

  it('goes on when the request is cancelled that made it, or that waits for it', async () => {
    const { opened, open } = gate()
    const { peer } = await join(
      serve({ render: tool({ task: 'optional', run: () => opened.then(() => 'done') }) }).app,
    )
    const made = peer.start('tools/call', { name: 'render', task: {} })
    const { task } = (await peer.answerTo(made)).result as { task: { taskId: string } }
    peer.notify('notifications/cancelled', { requestId: made })
    const waiting = peer.start('tasks/result', { taskId: task.taskId })
    await get(peer, task.taskId)
    peer.notify('notifications/cancelled', { requestId: waiting })
    open()
    expect(textOf((await result(peer, task.taskId)).result)).toBe('done')
    expect(peer.heard.some(({ id }) => id === waiting)).toBe(false)
  })

  it('expires: the handler is stopped, and later nobody knows of it', async () => {
    let stopped = false
    const { app } = serve(
      {
        render: tool({
          task: 'optional',
          run: (_, ctx) =>
            new Promise<string>((resolve) => {
              ctx.signal.addEventListener('abort', () => {
                stopped = true
                resolve('late')
              })
            }),
        }),
      },
      { pollInterval: 5 },
    )
    const { peer } = await join(app)
    const { taskId } = await create(peer, 'render', { ttl: 20 })
    expect((await result(peer, taskId)).error).toMatchObject({ message: 'The task has expired' })
    expect(stopped).toBe(true)
    for (;;) {
      const { error } = await peer.request('tasks/get', { taskId })
      if (error) {
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('expired') })
        break
      }
    }
    expect((await result(peer, taskId)).error).toMatchObject({ code: -32602 })
    expect((await peer.request('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 })
    expect(await listed(peer)).toEqual([])
  })

  it('counts against the limit of its session', async () => {
    const { opened, open } = gate()
    const { app } = serve(
      { render: tool({ task: 'optional', run: () => opened }) },
      { maxRunningPerPrincipal: 1 },
    )
    const [{ peer }, { peer: other }] = [await join(app), await join(app)]
    await create(peer, 'render')
    const { error } = await peer.request('tools/call', { name: 'render', task: {} })
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('Too many tasks') })
    await create(other, 'render')
    open()
  })
})

describe('questions of a task of 2025-11-25', () => {
  const run = async (_: unknown, ctx: { elicit: (...asked: never[]) => Promise<unknown> }) => {
    const { name } = (await ctx.elicit(...(['Name?', NAME] as never[]))) as { name: string }
    return `Hello ${name}`
  }
  const greet = tool({ task: 'optional', run })
  const accept = (name: string) => ({ action: 'accept', content: { name } })

  it('wait for the request for the result, name their task, and are asked once', async () => {
    const { peer } = await join(serve({ greet }).app)
    const { taskId } = await create(peer, 'greet')
    expect(await get(peer, taskId)).toMatchObject({ status: 'input_required' })
    expect(peer.heard.some(({ method }) => method === 'elicitation/create')).toBe(false)
    const waiting = peer.start('tasks/result', { taskId })
    const question = await asked(peer, 'elicitation/create')
    expect(relatedTask(question.params)).toEqual({ taskId })
    expect(await get(peer, taskId)).toMatchObject({ status: 'input_required' })
    peer.send({ jsonrpc: '2.0', id: question.id, result: accept('Ada') })
    const answer = (await peer.answerTo(waiting)).result
    expect(textOf(answer)).toBe('Hello Ada')
    expect(relatedTask(answer)).toEqual({ taskId })
    expect(peer.heard.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1)
  })

  it('go back to working when they are answered', async () => {
    const { opened, open } = gate()
    const { peer } = await join(
      serve({
        slow: tool({
          task: 'optional',
          run: async (_, ctx) => {
            await ctx.elicit('Name?', NAME)
            await opened
            return 'done'
          },
        }),
      }).app,
    )
    const { taskId } = await create(peer, 'slow')
    const waiting = peer.start('tasks/result', { taskId })
    const { id } = await asked(peer, 'elicitation/create')
    peer.send({ jsonrpc: '2.0', id, result: accept('Ada') })
    await reached(peer, taskId, 'working')
    open()
    expect(textOf((await peer.answerTo(waiting)).result)).toBe('done')
  })

  it('move to the newest request for the result, and are taken back from the one before', async () => {
    const { peer } = await join(serve({ greet }).app)
    const { taskId } = await create(peer, 'greet')
    const first = peer.start('tasks/result', { taskId })
    const { id: lost } = await asked(peer, 'elicitation/create')
    const second = peer.start('tasks/result', { taskId })
    const again = await until(
      () =>
        peer.heard.find((m) => m.method === 'elicitation/create' && m.id !== lost) as
          | { id: number }
          | undefined,
    )
    expect(peer.heard.find(({ method }) => method === 'notifications/cancelled')).toMatchObject({
      params: { requestId: lost },
    })
    peer.send({ jsonrpc: '2.0', id: again.id, result: accept('Ada') })
    for (const id of [first, second]) expect(textOf((await peer.answerTo(id)).result)).toBe('Hello Ada')
  })

  it('are asked again by the one that is left when the newest is cancelled', async () => {
    const { peer } = await join(serve({ greet }).app)
    const { taskId } = await create(peer, 'greet')
    const first = peer.start('tasks/result', { taskId })
    const second = peer.start('tasks/result', { taskId })
    const questions = () => peer.heard.filter(({ method }) => method === 'elicitation/create')
    await until(() => questions().length === 2)
    peer.notify('notifications/cancelled', { requestId: second })
    await until(() => questions().length === 3)
    peer.send({ jsonrpc: '2.0', id: questions()[2]!.id as number, result: accept('Ada') })
    expect(textOf((await peer.answerTo(first)).result)).toBe('Hello Ada')
  })

  it('are the handler’s to do without when the client refuses', async () => {
    const { peer } = await join(
      serve({
        greet: tool({
          task: 'optional',
          run: (_, ctx) =>
            ctx.elicit('Name?', NAME).then(
              () => 'answered',
              (thrown: { code: string }) => `without: ${thrown.code}`,
            ),
        }),
      }).app,
    )
    const { taskId } = await create(peer, 'greet')
    const waiting = peer.start('tasks/result', { taskId })
    const { id } = await asked(peer, 'elicitation/create')
    peer.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'nobody home' } })
    expect(textOf((await peer.answerTo(waiting)).result)).toBe('without: invalid_answer')
  })

  it('are taken back when the task is cancelled', async () => {
    const { peer } = await join(serve({ greet }).app)
    const { taskId } = await create(peer, 'greet')
    const waiting = peer.start('tasks/result', { taskId })
    const { id } = await asked(peer, 'elicitation/create')
    await peer.request('tasks/cancel', { taskId })
    expect((await peer.answerTo(waiting)).error).toBeDefined()
    const { params } = await until(() =>
      peer.heard.find(({ method }) => method === 'notifications/cancelled'),
    )
    expect(params).toMatchObject({ requestId: id })
    expect(relatedTask(params)).toEqual({ taskId })
  })

  it('may ask the model, by hand as well, and in manual tools', async () => {
    const { peer } = await join(
      serve({
        think: tool({
          task: 'manual',
          run: async (_, ctx) => {
            if (!becomeTask(ctx)) return 'no task'
            const said = await ctx.sample({
              messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }],
              maxTokens: 9,
            })
            return (said.content as { text: string }).text
          },
        }),
        by_hand: tool({
          task: 'optional',
          run: (_, ctx) => {
            const who = ctx.inputResponses?.who
            if (who) return `${String(ctx.state)} ${((who as JsonObject).content as { name: string }).name}`
            const params = { message: 'Name?', requestedSchema: NAME }
            return inputRequired({ who: { method: 'elicitation/create', params } }, 'Hello')
          },
        }),
      }).app,
    )
    const thinking = await create(peer, 'think')
    const waiting = peer.start('tasks/result', { taskId: thinking.taskId })
    const question = await asked(peer, 'sampling/createMessage')
    expect(relatedTask(question.params)).toEqual({ taskId: thinking.taskId })
    const content = { type: 'text', text: 'Because' }
    peer.send({ jsonrpc: '2.0', id: question.id, result: { role: 'assistant', model: 'm', content } })
    expect(textOf((await peer.answerTo(waiting)).result)).toBe('Because')
    expect(textOf((await peer.request('tools/call', { name: 'think' })).result)).toBe('no task')
    const manual = await create(peer, 'by_hand')
    const rounds = peer.start('tasks/result', { taskId: manual.taskId })
    const { id } = await asked(peer, 'elicitation/create')
    peer.send({ jsonrpc: '2.0', id, result: accept('Ada') })
    expect(textOf((await peer.answerTo(rounds)).result)).toBe('Hello Ada')
  })
})

describe('what a task of 2025-11-25 says on the way', () => {
  it('tells its session of every status, its progress and its logs, each naming the task but the first', async () => {
    const { opened, open } = gate()
    const { peer } = await join(
      serve({
        render: tool({
          task: 'optional',
          run: async (_, ctx) => {
            await ctx.progress(1, 3, 'one')
            await ctx.progress(1, 3, 'one again')
            await ctx.log('warning', 'low on ink')
            await ctx.elicit('Name?', NAME)
            await ctx.progress(3, 3, 'three')
            await opened
            return 'done'
          },
        }),
      }).app,
    )
    const { taskId } = await create(peer, 'render', {}, { _meta: { progressToken: 'p' } })
    const said = (method: string) => peer.heard.filter((m) => m.method === method).map(({ params }) => params)
    const statuses = () => said('notifications/tasks/status').map((params) => (params as JsonObject).status)
    await until(() => statuses().includes('input_required'))
    expect(await get(peer, taskId)).toMatchObject({ statusMessage: 'one' })
    const waiting = peer.start('tasks/result', { taskId })
    const { id } = await asked(peer, 'elicitation/create')
    peer.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ada' } } })
    await until(() => said('notifications/progress').length === 2 && statuses().length === 2)
    open()
    await peer.answerTo(waiting)
    await until(() => statuses().length === 3)
    expect(statuses()).toEqual(['input_required', 'working', 'completed'])
    for (const params of said('notifications/tasks/status')) {
      expect(params).toMatchObject({ taskId, ttl: 3_600_000 })
      expect(params).not.toHaveProperty('_meta')
    }
    const _meta = { [META.relatedTask]: { taskId } }
    expect(said('notifications/progress')).toEqual([
      { progressToken: 'p', progress: 1, total: 3, message: 'one', _meta },
      { progressToken: 'p', progress: 3, total: 3, message: 'three', _meta },
    ])
    expect(said('notifications/message')).toMatchObject([{ data: 'low on ink', _meta }])
  })

  it('says nothing of progress that nobody asked for, nor after its end', async () => {
    const { opened, open } = gate()
    const { app, jobs } = serve({
      render: tool({
        task: 'optional',
        run: async (_, ctx) => {
          await ctx.progress(1, 3)
          await opened
          await ctx.progress(2, 3)
          await ctx.log('alert', 'too late')
        },
      }),
    })
    const { peer } = await join(app)
    await create(peer, 'render')
    const { taskId } = await create(peer, 'render', {}, { _meta: { progressToken: 7 } })
    await peer.request('tasks/cancel', { taskId })
    open()
    await until(() => jobs.running === 0)
    await peer.request('ping')
    const progress = peer.heard.filter(({ method }) => method === 'notifications/progress')
    expect(progress.map(({ params }) => (params as JsonObject).progressToken)).toEqual([7])
  })
})

describe('whose a task of 2025-11-25 is', () => {
  const held = () => {
    const { opened, open } = gate()
    return { open, tools: { render: tool({ task: 'optional', run: () => opened.then(() => 'done') }) } }
  }

  it.each([
    ['unknown', 'd0000000-0000-4000-8000-000000000000'],
    ['no string', 7],
    ['absent', undefined],
    ['a prototype’s', '__proto__'],
  ])('is not found by an id that is %s', async (_, taskId) => {
    const { peer } = await join(serve(held().tools).app)
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect((await peer.request(method, { taskId })).error).toMatchObject({ code: -32602 })
    }
  })

  it('does not exist for other sessions, nor for modern callers without a name', async () => {
    const { tools, open } = held()
    const { app } = serve(tools)
    const [{ peer }, { peer: other }] = [await join(app), await join(app)]
    const { taskId } = await create(peer, 'render')
    const finished = await create(peer, 'render')
    expect(await listed(other)).toEqual([])
    expect(await listed(peer)).toHaveLength(2)
    open()
    await result(peer, finished.taskId)
    for (const id of [taskId, finished.taskId]) {
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
        const { error } = await other.request(method, { taskId: id })
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('not found') })
      }
      const { error } = await peer.modern(
        'tasks/get',
        { taskId: id },
        { extensions: { 'io.modelcontextprotocol/tasks': {} } },
      )
      expect(error).toMatchObject({ code: -32602 })
    }
    expect((await result(peer, taskId)).result).toBeDefined()
  })

  it('is its principal’s, in every session and in both eras', async () => {
    const { tools, open } = held()
    const { app } = serve(tools)
    const { peer: ada } = await join(app, '2025-11-25', 'ada')
    const { peer: adaToo } = await join(app, '2025-11-25', 'ada')
    const { peer: bob } = await join(app, '2025-11-25', 'bob')
    const declared = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const { taskId } = await create(ada, 'render')
    const modern = (await ada.modern('tools/call', { name: 'render' }, declared)).result as { taskId: string }
    expect((await listed(adaToo)).sort()).toEqual([taskId, modern.taskId].sort())
    expect(await listed(bob)).toEqual([])
    open()
    expect(textOf((await result(adaToo, taskId)).result)).toBe('done')
    expect(textOf((await result(adaToo, modern.taskId)).result)).toBe('done')
    expect((await ada.modern('tasks/get', { taskId }, declared)).result).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'done' }] },
    })
    expect((await result(bob, taskId)).error).toMatchObject({ code: -32602 })
  })

  it('is named by its own parameter, whatever else the request says', async () => {
    const { tools, open } = held()
    const { peer } = await join(serve(tools).app)
    const [{ taskId }, other] = [await create(peer, 'render'), await create(peer, 'render')]
    const _meta = { [META.relatedTask]: { taskId: other.taskId } }
    const got = (await peer.request('tasks/get', { taskId, _meta })).result
    expect(got).toMatchObject({ taskId })
    open()
    const done = (await peer.request('tasks/result', { taskId, _meta })).result
    expect(relatedTask(done)).toEqual({ taskId })
  })

  it('ends with a session that has no principal', async () => {
    let aborted = false
    const { app, jobs } = serve({
      render: tool({
        task: 'optional',
        run: (_, ctx) =>
          new Promise((resolve) => {
            ctx.signal.addEventListener('abort', () => {
              aborted = true
              resolve('stopped')
            })
          }),
      }),
    })
    const { peer } = await join(app)
    await create(peer, 'render')
    expect(jobs.running).toBe(1)
    peer.close()
    await until(() => aborted && jobs.running === 0, 'the end of the task')
  })
})

describe('the list of tasks of 2025-11-25', () => {
  it('is given in pages, oldest first, running and finished ones alike', async () => {
    const { opened, open } = gate()
    const { peer } = await join(
      serve(
        {
          quick: tool({ task: 'optional', run: async () => 'done' }),
          slow: tool({ task: 'optional', run: () => opened }),
        },
        { maxRunningPerPrincipal: 200 },
      ).app,
    )
    const made: unknown[] = []
    for (let count = 0; count < 120; count++) {
      made.push((await create(peer, count % 2 ? 'slow' : 'quick')).taskId)
    }
    const found: unknown[] = []
    const sizes: number[] = []
    let cursor: unknown
    do {
      const page = (await peer.request('tasks/list', cursor === undefined ? {} : { cursor }))
        .result as JsonObject
      const items = page.tasks as JsonObject[]
      sizes.push(items.length)
      found.push(...items.map(({ taskId }) => taskId))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(sizes).toEqual([50, 50, 20])
    expect(new Set(found)).toEqual(new Set(made))
    expect(found).toHaveLength(120)
    open()
  })

  it.each([['garbage'], [''], [7], [null], ['YWZ0ZXI6MQ'], [{}]])('refuses the cursor %j', async (cursor) => {
    const { peer } = await join(serve({ quick: tool({ task: 'optional', run: async () => 'done' }) }).app)
    expect((await peer.request('tasks/list', { cursor })).error).toMatchObject({ code: -32602 })
  })

  it('survives a restart with the store, for who can prove who it is', async () => {
    const store = new MemoryStore()
    const tools = { quick: tool({ task: 'optional', run: async () => 'done' }) }
    const { peer } = await join(serve(tools, {}, store).app, '2025-11-25', 'ada')
    const { taskId } = await create(peer, 'quick')
    await result(peer, taskId)
    const { peer: later } = await join(serve(tools, {}, store).app, '2025-11-25', 'ada')
    expect(await listed(later)).toEqual([taskId])
    expect(textOf((await result(later, taskId)).result)).toBe('done')
  })
})
