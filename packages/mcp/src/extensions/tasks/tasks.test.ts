import { describe, expect, it } from 'vitest'
import { Client } from '../../client/index.ts'
import { callerKey, complete, PlainExchange, type Exchange } from '../../exchange/index.ts'
import { ProtocolError } from '../../jsonrpc/index.ts'
import { inputRequired, MemoryStore, Server, tool, ToolError, type Store } from '../../server/index.ts'
import { memory } from '../../transport/memory.ts'
import { becomeTask, tasks, TaskService, TASKS_EXTENSION, type TasksOptions } from './index.ts'
import { ask, call, DECLARED, gate, get, reach, start, textOf, NAME } from './tasks.test.support.ts'

const EMPTY = { type: 'object', properties: {} }
const accept = (content: object) => ({ action: 'accept', content })
const UNDECLARED = { capabilities: { elicitation: {} } }

function serve(tools: Record<string, ReturnType<typeof tool>>, options: TasksOptions = {}, store?: Store) {
  const app = new Server({ name: 'studio', tools, ...(store && { store }) })
  return { app, jobs: tasks(app, { pollInterval: 20, ...options }) }
}

describe('a call that becomes a task', () => {
  it('is still the request of its caller, for those who share a connection fairly', async () => {
    let seen: Exchange | undefined
    const service = new TaskService({ store: new MemoryStore(), onError: () => {} })
    const asked = new PlainExchange({
      method: 'tools/call',
      params: {},
      client: { capabilities: DECLARED, version: '2026-07-28' },
      peer: '192.0.2.7',
    })
    await service.run(asked, 'optional', async (request) => {
      seen = request
      return complete({ content: [] })
    })
    expect(callerKey(seen!)).toBe(callerKey(asked))
    service.close('done')
  })

  it('is answered with a flat handle, then polled for its result', async () => {
    const { opened, open } = gate()
    const { app } = serve({ render: tool({ task: 'optional', run: () => opened.then(() => 'done') }) })
    const { result } = await call(app, 'render')
    expect(result).toMatchObject({
      resultType: 'task',
      status: 'working',
      ttlMs: 3_600_000,
      pollIntervalMs: 20,
    })
    expect(Object.keys(result).sort()).toEqual(
      '_meta createdAt lastUpdatedAt pollIntervalMs resultType status taskId ttlMs'.split(' '),
    )
    const taskId = result.taskId as string
    expect(await get(app, taskId)).toMatchObject({ resultType: 'complete', taskId, status: 'working' })
    open()
    const done = await reach(app, taskId, 'completed')
    expect(textOf(done.result)).toBe('done')
    expect(await get(app, taskId)).toEqual(done)
  })

  it('is declared by the server, and unknown to clients that do not declare it', async () => {
    const { app } = serve({ render: tool({ task: 'optional', run: async () => 'done' }) })
    const discovered = await ask(app, 'server/discover')
    expect(discovered.result.capabilities).toMatchObject({ extensions: { [TASKS_EXTENSION]: {} } })
    expect(textOf((await call(app, 'render', UNDECLARED)).result)).toBe('done')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await ask(app, method, { taskId: 'x', inputResponses: {} }, UNDECLARED)
      expect(error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
      })
    }
  })

  it('is refused where a task is required and the client has none, but not to legacy clients', async () => {
    const { app } = serve({ render: tool({ task: 'required', run: async () => 'done' }) })
    expect((await call(app, 'render', UNDECLARED)).error?.code).toBe(-32021)
    expect((await call(app, 'render')).result.resultType).toBe('task')
    await using client = new Client({
      connector: memory(app),
      protocolVersion: '2025-06-18',
      capabilities: { extensions: { [TASKS_EXTENSION]: {} } },
    })
    expect((await client.call('render')).text()).toBe('done')
    await expect(client.request('tasks/get', { taskId: 'x' })).rejects.toMatchObject({ code: -32601 })
  })

  it('is answered at once when there is nothing to wait for', async () => {
    const { app, jobs } = serve({
      quick: tool({ task: 'required', run: () => 'at once' }),
      picky: tool({ task: 'required', input: NAME, run: async () => 'never' }),
      ordinary: tool({ input: NAME, run: async () => 'never' }),
    })
    expect(textOf((await call(app, 'quick')).result)).toBe('at once')
    // The first thing that is found invalid waits for the validator to be loaded.
    await call(app, 'ordinary', {}, {})
    expect((await call(app, 'picky', {}, {})).result).toMatchObject({ resultType: 'complete', isError: true })
    expect(jobs.running).toBe(0)
  })

  it('outlives the request that made it', async () => {
    const { opened, open } = gate()
    let aborted = false
    const run = async (_: unknown, ctx: { signal: AbortSignal }) => {
      ctx.signal.addEventListener('abort', () => {
        aborted = true
      })
      await opened
      return 'done'
    }
    const { app } = serve({ render: tool({ task: 'optional', run }) })
    const client = { capabilities: DECLARED, version: '2026-07-28' as const }
    const exchange = new PlainExchange({ method: 'tools/call', params: { name: 'render' }, client })
    const outcome = await app.respond(exchange)
    exchange.abort('disconnected')
    open()
    const taskId = outcome.type === 'task' ? String(outcome.task.taskId) : ''
    expect(textOf((await reach(app, taskId, 'completed')).result)).toBe('done')
    expect(aborted).toBe(false)
  })

  it('says how far it is', async () => {
    const { opened, open } = gate()
    const { app } = serve({
      render: tool({
        task: 'optional',
        run: async (_, ctx) => {
          await ctx.progress(1, 3)
          await ctx.progress(2, 3, 'two of three frames')
          await ctx.log('emergency', 'not for tasks')
          await opened
        },
      }),
    })
    const taskId = await start(app, 'render')
    expect((await get(app, taskId)).statusMessage).toBe('two of three frames')
    open()
    expect(await reach(app, taskId, 'completed')).not.toHaveProperty('statusMessage')
  })
})

describe('how a task ends', () => {
  it('keeps failures of the tool apart from failures of the protocol', async () => {
    const thrown: unknown[] = []
    const app = new Server({
      name: 'studio',
      configuration: { exceptionReporter: (error) => thrown.push(error) },
      tools: {
        tool_error: tool({ task: 'required', run: () => Promise.reject(new ToolError('no ink')) }),
        crash: tool({ task: 'required', run: () => Promise.reject(new Error('secret')) }),
        broken: tool({
          task: 'required',
          run: () => Promise.reject(new ProtocolError(-32000, 'no such thing')),
        }),
      },
    })
    tasks(app)
    const refused = await reach(app, await start(app, 'tool_error'), 'completed')
    expect(refused.result).toMatchObject({ isError: true, content: [{ text: 'no ink' }] })
    const crashed = await reach(app, await start(app, 'crash'), 'completed')
    expect(crashed.result).toMatchObject({ isError: true, content: [{ text: 'Internal error occurred' }] })
    expect(thrown).toHaveLength(1)
    const failed = await reach(app, await start(app, 'broken'), 'failed')
    expect(failed).toMatchObject({
      error: { code: -32000, message: 'no such thing' },
      statusMessage: 'no such thing',
    })
    expect(failed).not.toHaveProperty('result')
  })

  it('cancels at once, aborts the handler and ignores what it returns', async () => {
    const { opened, open } = gate()
    let reason: unknown
    const { app, jobs } = serve({
      render: tool({
        task: 'optional',
        run: async (_, ctx) => {
          ctx.signal.addEventListener('abort', () => {
            reason = ctx.signal.reason
          })
          await opened
          return 'too late'
        },
      }),
    })
    const taskId = await start(app, 'render')
    const ack = await ask(app, 'tasks/cancel', { taskId })
    expect(Object.keys(ack.result).sort()).toEqual(['_meta', 'resultType'])
    expect(reason).toMatchObject({ code: 'cancelled' })
    const cancelled = await get(app, taskId)
    expect(cancelled.status).toBe('cancelled')
    // A handler that does not listen still counts until it ends.
    expect(jobs.running).toBe(1)
    open()
    await expect.poll(() => jobs.running).toBe(0)
    expect(await get(app, taskId)).toEqual(cancelled)
    expect((await ask(app, 'tasks/cancel', { taskId })).result.resultType).toBe('complete')
  })

  it('expires: the handler is aborted and the task is gone soon after', async () => {
    let aborted = false
    const { app, jobs } = serve(
      {
        forever: tool({
          task: 'optional',
          run: (_, ctx) =>
            new Promise(() =>
              ctx.signal.addEventListener('abort', () => {
                aborted = true
              }),
            ),
        }),
      },
      { ttl: 30, pollInterval: 10 },
    )
    const taskId = await start(app, 'forever')
    await expect.poll(() => aborted).toBe(true)
    expect(await get(app, taskId)).toMatchObject({
      status: 'failed',
      error: { message: 'The task has expired' },
    })
    expect(jobs.running).toBe(0)
    await expect.poll(async () => (await ask(app, 'tasks/get', { taskId })).error?.code).toBe(-32602)
  })

  it('survives a restart once it is over, and not before', async () => {
    const store = new MemoryStore()
    const tools = {
      done: tool({ task: 'optional', run: async () => 'kept' }),
      busy: tool({ task: 'optional', run: () => new Promise(() => {}) }),
    }
    const before = serve(tools, {}, store)
    const done = await start(before.app, 'done', { principal: 'ann' })
    const busy = await start(before.app, 'busy')
    await reach(before.app, done, 'completed', { principal: 'ann' })
    const after = serve(tools, {}, store)
    expect(textOf((await get(after.app, done, { principal: 'ann' })).result)).toBe('kept')
    expect((await ask(after.app, 'tasks/get', { taskId: done }, { principal: 'bob' })).error?.code).toBe(
      -32602,
    )
    expect((await ask(after.app, 'tasks/get', { taskId: busy })).error?.code).toBe(-32602)
    before.jobs.close()
    expect((await get(before.app, busy)).status).toBe('cancelled')
  })

  it('is not lost when the store fails', async () => {
    const broken: Store = {
      get: () => Promise.reject(new Error('store down')),
      set: () => Promise.reject(new Error('store down')),
      delete: () => Promise.reject(new Error('store down')),
    }
    const { app } = serve({ done: tool({ task: 'optional', run: async () => 'kept' }) }, { store: broken })
    const taskId = await start(app, 'done')
    expect(textOf((await reach(app, taskId, 'completed')).result)).toBe('kept')
  })
})

describe('questions in a task', () => {
  it('are shown with the task, and answered some or all', async () => {
    const { app } = serve({
      both: tool({
        task: 'optional',
        run: async (_, ctx) => {
          const [a, b] = await Promise.all([
            ctx.elicit('First?', NAME, { key: 'a' }),
            ctx.elicit('Second?', NAME, { key: 'b' }),
          ])
          return `${a.name} ${b.name}`
        },
      }),
    })
    const taskId = await start(app, 'both')
    const asked = await reach(app, taskId, 'input_required')
    expect(asked.inputRequests).toMatchObject({
      a: { method: 'elicitation/create', params: { message: 'First?' } },
      b: { params: { message: 'Second?' } },
    })
    const update = (inputResponses: unknown) => ask(app, 'tasks/update', { taskId, inputResponses })
    expect((await update({ a: accept({ name: 'Ann' }), other: accept({}) })).result).toEqual({
      resultType: 'complete',
      _meta: expect.anything(),
    })
    expect(Object.keys((await get(app, taskId)).inputRequests ?? {})).toEqual(['b'])
    expect((await update({ b: 'no object' })).error?.code).toBe(-32602)
    expect((await update('no object')).error?.code).toBe(-32602)
    expect((await get(app, taskId)).status).toBe('input_required')
    // An answer that was given stays as it is.
    await update({ a: accept({ name: 'Eve' }), b: accept({ name: 'Bob' }) })
    expect(textOf((await reach(app, taskId, 'completed')).result)).toBe('Ann Bob')
  })

  it('never use a key twice', async () => {
    const { app } = serve({
      thrice: tool({
        task: 'optional',
        run: async (_, ctx) => {
          await ctx.confirm('Really?')
          await ctx.confirm('Really?')
          await ctx.elicit('Really?', EMPTY, { key: 'question_2' })
          return 'asked'
        },
      }),
    })
    const taskId = await start(app, 'thrice')
    const keys: string[] = []
    for (let round = 0; round < 3; round++) {
      const [key] = Object.keys((await reach(app, taskId, 'input_required')).inputRequests ?? {}) as [string]
      keys.push(key)
      await ask(app, 'tasks/update', { taskId, inputResponses: { [key]: accept({}) } })
    }
    expect(new Set(keys).size).toBe(3)
    expect(textOf((await reach(app, taskId, 'completed')).result)).toBe('asked')
  })

  it('before the task are rounds of the request, after it part of the task', async () => {
    let runs = 0
    let steps = 0
    const { app } = serve({
      order: tool({
        task: 'manual',
        run: async (_, ctx) => {
          runs++
          await ctx.step('reserve', () => ++steps)
          const { name } = await ctx.elicit('Name?', NAME, { key: 'name' })
          const isTask = becomeTask(ctx)
          const sure = await ctx.confirm('Sure?', { key: 'sure' })
          return `${name} ${sure} ${isTask} ${steps}`
        },
      }),
    })
    const first = await call(app, 'order')
    expect(first.result).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } })
    const { requestState } = first.result
    const inputResponses = { name: accept({ name: 'Ann' }) }
    const second = await ask(app, 'tools/call', { name: 'order', inputResponses, requestState })
    expect(second.result).toMatchObject({ resultType: 'task', status: 'working' })
    expect(second.result).not.toHaveProperty('requestState')
    const taskId = second.result.taskId as string
    expect((await reach(app, taskId, 'input_required')).inputRequests).toHaveProperty('sure')
    await ask(app, 'tasks/update', { taskId, inputResponses: { sure: accept({}) } })
    expect(textOf((await reach(app, taskId, 'completed')).result)).toBe('Ann true true 1')
    expect({ runs, steps }).toEqual({ runs: 2, steps: 1 })
  })

  it('leave a manual tool without a task where the client has none', async () => {
    const { app } = serve({
      maybe: tool({ task: 'manual', run: async (_, ctx) => String(becomeTask(ctx)) }),
      must: tool({ task: 'manual', run: async (_, ctx) => String(becomeTask(ctx, { required: true })) }),
      plain: tool({ run: async (_, ctx) => String(becomeTask(ctx)) }),
    })
    expect(textOf((await call(app, 'maybe', UNDECLARED)).result)).toBe('false')
    expect((await call(app, 'must', UNDECLARED)).error?.code).toBe(-32021)
    expect(textOf((await call(app, 'plain')).result)).toBe('false')
    const done = await reach(app, await start(app, 'must'), 'completed')
    expect(textOf(done.result)).toBe('true')
  })

  it.each([false, true])('asked by hand work too (replaying always: %s)', async (alwaysReplay) => {
    const run = async (_: unknown, ctx: { inputResponses: object; roundState: unknown }) =>
      Object.keys(ctx.inputResponses).length > 0
        ? `again with ${ctx.roundState}`
        : inputRequired({ own: { method: 'roots/list', params: {} } }, 'my state')
    const app = new Server({
      name: 'studio',
      alwaysReplay,
      tools: {
        by_hand: tool({ task: 'optional', run }),
        replayed: tool({ task: 'optional', run: async (_, ctx) => String(await ctx.confirm('Sure?')) }),
      },
    })
    tasks(app)
    const capabilities = { ...DECLARED, roots: {} }
    const taskId = await start(app, 'by_hand', { capabilities })
    await reach(app, taskId, 'input_required')
    await ask(app, 'tasks/update', { taskId, inputResponses: { own: { roots: [] } } })
    expect(textOf((await reach(app, taskId, 'completed')).result)).toBe('again with my state')
    const other = await start(app, 'replayed')
    const [key] = Object.keys((await reach(app, other, 'input_required')).inputRequests ?? {}) as [string]
    await ask(app, 'tasks/update', { taskId: other, inputResponses: { [key]: accept({}) } })
    expect(textOf((await reach(app, other, 'completed')).result)).toBe('true')
  })

  it('end with the task: cancelled while it asks, and refused without the capability', async () => {
    const { app, jobs } = serve({
      ask: tool({ task: 'optional', run: async (_, ctx) => String(await ctx.confirm('Sure?')) }),
    })
    const taskId = await start(app, 'ask')
    await reach(app, taskId, 'input_required')
    await ask(app, 'tasks/cancel', { taskId })
    expect(await get(app, taskId)).not.toHaveProperty('inputRequests')
    await expect.poll(() => jobs.running).toBe(0)
    const silent = { capabilities: { extensions: { [TASKS_EXTENSION]: {} } } }
    const failed = await reach(app, await start(app, 'ask', silent), 'failed')
    expect(failed.error?.code).toBe(-32021)
  })
})

describe('limits', () => {
  it('gives nobody the tasks of others', async () => {
    const { app } = serve({
      ask: tool({ task: 'optional', run: async (_, ctx) => String(await ctx.confirm('Sure?')) }),
    })
    const taskId = await start(app, 'ask', { principal: 'ann' })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, inputResponses: { question: accept({}) } }
      const stranger = await ask(app, method, params, { principal: 'bob' })
      const nobody = await ask(app, method, { ...params, taskId: 'never-was' }, { principal: 'bob' })
      expect(stranger.error).toEqual(nobody.error)
      expect(stranger.error?.code).toBe(-32602)
      expect((await ask(app, method, params)).error?.code).toBe(-32602)
    }
    expect((await get(app, taskId, { principal: 'ann' })).status).toBe('input_required')
    expect((await ask(app, 'tasks/get', { taskId: 7 })).error?.code).toBe(-32602)
  })

  it('bounds what runs, in all and for each caller', async () => {
    const { opened, open } = gate()
    const { app, jobs } = serve(
      { wait: tool({ task: 'optional', run: () => opened.then(() => 'done') }) },
      { maxRunning: 3, maxRunningPerPrincipal: 2 },
    )
    const ann = { principal: 'ann' }
    await start(app, 'wait', ann)
    await start(app, 'wait', ann)
    expect((await call(app, 'wait', ann)).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('Too many tasks'),
    })
    await start(app, 'wait', { principal: 'bob' })
    expect((await call(app, 'wait', { principal: 'eve' })).error?.code).toBe(-32603)
    open()
    await expect.poll(() => jobs.running).toBe(0)
    await start(app, 'wait', ann)
  })

  it('counts callers without a principal as well, and says when to try again', async () => {
    const { opened, open } = gate()
    const { app, jobs } = serve(
      { wait: tool({ task: 'optional', run: () => opened.then(() => 'done') }) },
      { maxRunning: 3, maxRunningPerPrincipal: 2 },
    )
    await start(app, 'wait')
    await start(app, 'wait')
    expect((await call(app, 'wait')).error?.data).toMatchObject({ reason: 'tasks', retryAfter: 1 })
    await start(app, 'wait', { principal: 'ann' })
    open()
    await expect.poll(() => jobs.running).toBe(0)
    await start(app, 'wait')
  })

  it('bounds what is kept', async () => {
    const { app } = serve(
      {
        short: tool({ task: 'optional', run: async () => 'short' }),
        long: tool({ task: 'optional', run: async () => 'x'.repeat(2_000) }),
      },
      { maxFinished: 2, maxResultSize: 1_000 },
    )
    const failed = await reach(app, await start(app, 'long'), 'failed')
    expect(failed.error?.message).toBe('The result is too large to be kept')
    const ids = [await start(app, 'short'), await start(app, 'short')]
    for (const taskId of ids) await reach(app, taskId, 'completed')
    await expect
      .poll(async () => (await ask(app, 'tasks/get', { taskId: failed.taskId })).error?.code)
      .toBe(-32602)
    for (const taskId of ids) expect((await get(app, taskId)).status).toBe('completed')
  })
})
