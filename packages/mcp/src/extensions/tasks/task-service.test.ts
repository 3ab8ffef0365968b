import { afterEach, describe, expect, it } from 'vitest'
import { PlainExchange, type Notification, type Outcome } from '../../exchange/index.ts'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { Server, tool } from '../../server/index.ts'
import { tasks } from './index.ts'
import { ask, authOf, DECLARED, get, reach, start, textOf } from './tasks.test.support.ts'

const aborts: (() => void)[] = []
afterEach(() => {
  for (const abort of aborts.splice(0)) abort()
})

/** Listens on the wire's terms, and collects what is heard. */
function listen(app: Server, notifications: JsonObject, capabilities = DECLARED, principal?: string) {
  const heard: Notification[] = []
  const exchange = new PlainExchange({
    method: 'subscriptions/listen',
    params: { notifications },
    client: { capabilities, version: '2026-07-28' },
    auth: principal === undefined ? undefined : authOf(principal),
    notify: (notification) => heard.push(notification),
  })
  const ended: Promise<Outcome> = Promise.resolve(app.respond(exchange))
  aborts.push(() => exchange.abort())
  const statuses = () =>
    heard.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params?.status)
  return { heard, ended, statuses, stop: () => exchange.abort() }
}

function createApp() {
  const app = new Server({
    name: 'studio',
    tools: {
      ask: tool({
        task: 'optional',
        run: async (_, ctx) => {
          const [first, second] = await Promise.all([ctx.confirm('One?'), ctx.confirm('Two?')])
          return `${first} ${second}`
        },
      }),
      done: tool({ task: 'optional', run: async () => 'done' }),
    },
  })
  tasks(app, { pollInterval: 10 })
  return app
}

describe('listening to tasks', () => {
  it('begins with how things stand and tells every change in full', async () => {
    const app = createApp()
    const taskId = await start(app, 'ask')
    await reach(app, taskId, 'input_required')
    const { heard, statuses } = listen(app, { taskIds: [taskId], toolsListChanged: true })
    await expect.poll(statuses).toEqual(['input_required'])
    expect(heard[0]).toEqual({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true, taskIds: [taskId] } },
    })
    const asked = await get(app, taskId)
    const { resultType: _, _meta, ...task } = asked
    expect(heard[1]?.params).toEqual(task)
    const keys = Object.keys(asked.inputRequests ?? {})
    expect(keys).toHaveLength(2)
    const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept' }]))
    await ask(app, 'tasks/update', { taskId, inputResponses })
    await expect.poll(statuses).toContain('completed')
    const last = heard.at(-1)?.params
    expect(textOf(last?.result)).toBe('true true')
    expect(last).not.toHaveProperty('inputRequests')
  })

  it('hears of a task that is over, too', async () => {
    const app = createApp()
    const taskId = await start(app, 'done')
    await reach(app, taskId, 'completed')
    const { statuses } = listen(app, { taskIds: [taskId, taskId] })
    await expect.poll(statuses).toEqual(['completed'])
  })

  it('is granted for the tasks of the caller only, and to clients that declare the extension', async () => {
    const app = createApp()
    const own = await start(app, 'ask', { principal: 'ann' })
    const foreign = await start(app, 'ask', { principal: 'bob' })
    const ann = listen(app, { taskIds: [own, foreign, 'never-was'] }, DECLARED, 'ann')
    await expect.poll(() => ann.heard[0]?.params).toEqual({ notifications: { taskIds: [own] } })
    const eve = listen(app, { taskIds: [own] }, DECLARED, 'eve')
    await expect.poll(() => eve.heard[0]?.params).toEqual({ notifications: {} })
    await ask(app, 'tasks/cancel', { taskId: foreign }, { principal: 'bob' })
    await ask(app, 'tasks/cancel', { taskId: own }, { principal: 'ann' })
    await expect.poll(ann.statuses).toContain('cancelled')
    expect(ann.heard.some(({ params }) => params?.taskId === foreign)).toBe(false)
    expect(eve.statuses()).toEqual([])
    const undeclared = listen(app, { taskIds: [own] }, {})
    expect(await undeclared.ended).toMatchObject({ type: 'error', error: { code: -32021 } })
    const malformed = listen(app, { taskIds: [1] })
    expect(await malformed.ended).toMatchObject({ type: 'error', error: { code: -32602 } })
  })

  it('ends with its request', async () => {
    const app = createApp()
    const taskId = await start(app, 'ask')
    const listening = listen(app, { taskIds: [taskId] })
    await expect.poll(listening.statuses).not.toEqual([])
    listening.stop()
    await listening.ended
    const before = listening.heard.length
    await ask(app, 'tasks/cancel', { taskId })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(listening.heard).toHaveLength(before)
    expect(app.listeners).toBe(0)
  })
})
