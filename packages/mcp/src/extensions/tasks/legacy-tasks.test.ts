import { describe, expect, it } from 'vitest'
import { ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import { LEGACY_REVISIONS } from '../../protocol/index.ts'
import { Server, tool, ToolError } from '../../server/index.ts'
import { RawPeer, until } from '../../testing/fixtures/raw-peer.test.support.ts'
import {
  UUID,
  serve,
  join,
  create,
  get,
  result,
  listed,
  relatedTask,
  type Tools,
} from './legacy-tasks.test.support.ts'
import { gate, NAME, textOf } from './tasks.test.support.ts'

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

  it('is cancelled once: the handler is told, callers that wait get an error, and so it stays', async () => {
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
