import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { META } from '../../protocol/index.ts'
import { MemoryStore, tool } from '../../server/index.ts'
import { until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { serve, join, create, result, listed, relatedTask } from './legacy-tasks.test.support.ts'
import { gate, textOf } from './tasks.test.support.ts'

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
