import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { META } from '../../protocol/index.ts'
import { inputRequired, tool } from '../../server/index.ts'
import { until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { becomeTask } from './index.ts'
import { serve, join, create, get, reached, relatedTask, asked } from './legacy-tasks.test.support.ts'
import { gate, NAME, textOf } from './tasks.test.support.ts'

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
            if (who)
              return `${String(ctx.roundState)} ${((who as JsonObject).content as { name: string }).name}`
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
