import { expect, it } from 'vitest'
import type { JsonObject, Notification, Outcome, TaskHandle } from '@gantry/mcp/exchange'
import { tasks, TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import { Server, tool } from '@gantry/mcp/server'
import { chainBench, liveExchange } from '../chain.test.support.ts'

const MAIL = 'ann@example.com'
const client = { capabilities: { extensions: { [TASKS_EXTENSION]: {} } }, version: '2026-07-28' } as const
const output = {
  type: 'object',
  properties: {
    mail: { type: 'string', format: 'email' },
    owner: { enum: ['nobody', MAIL] },
  },
} as const

/** A server that runs its calls as tasks. */
function served(): Server {
  const a = new Server({
    name: 'a',
    tools: {
      fits: tool({ task: 'optional', output, run: async () => ({ mail: MAIL }) }),
      not: tool({ task: 'optional', output, run: async () => ({ mail: MAIL, owner: MAIL }) }),
    },
  })
  tasks(a, { pollInterval: 10 })
  return a
}

async function benchFor(rule: object) {
  const { gateway } = await chainBench({ a: served() }, { results: [rule] })
  const ask = async (method: string, params: JsonObject, heard: Notification[] = []): Promise<Outcome> => {
    const notify = (one: Notification): unknown => heard.push(one)
    return gateway.endpoint()!.respond(liveExchange(method, params, { client, notify }))
  }
  const begin = async (name: string): Promise<string> =>
    String(((await ask('tools/call', { name })) as TaskHandle).task.taskId)
  return { ask, begin }
}

it('shows the structured content of a task as its schema has it', async () => {
  const { ask, begin } = await benchFor({ mask: ['email'] })
  const taskId = await begin('a_fits')
  await expect
    .poll(() => ask('tasks/get', { taskId }))
    .toMatchObject({
      result: { result: { structuredContent: { mail: 'masked@masked.invalid' } } },
    })
})

it('withholds the result of a task that would not fit its schema, and no notification tells it', async () => {
  const { ask, begin } = await benchFor({ mask: ['email'] })
  const taskId = await begin('a_not')
  await expect
    .poll(() => ask('tasks/get', { taskId }))
    .toMatchObject({
      error: { data: { reason: 'withheld' } },
    })
  const heard: Notification[] = []
  void ask('subscriptions/listen', { notifications: { taskIds: [taskId] } }, heard)
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(heard.map(({ method }) => method)).toEqual(['notifications/subscriptions/acknowledged'])
})

it('marks the result that a task tells as untrusted', async () => {
  const { ask, begin } = await benchFor({ untrusted: true })
  const taskId = await begin('a_fits')
  await expect
    .poll(() => ask('tasks/get', { taskId }))
    .toMatchObject({
      result: { result: { _meta: { 'dev.gantry/untrusted': true } } },
    })
})
