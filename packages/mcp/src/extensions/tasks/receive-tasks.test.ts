import { afterEach, describe, expect, it } from 'vitest'
import { Client, type ClientOptions } from '../../client/index.ts'
import type { Connector } from '../../exchange/index.ts'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { META, type ElicitResult } from '../../protocol/index.ts'
import { Server, type Context } from '../../server/index.ts'
import { expectObjections } from '../../testing/fixtures/objections.test.support.ts'
import { until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { memory } from '../../transport/memory.ts'
import { createTaskClient } from './index.ts'
import { overHttp } from './serve-tasks.test.node.ts'
import { gate, NAME } from './tasks.test.support.ts'

const QUESTION = { message: 'Name?', requestedSchema: NAME, task: { ttl: 60_000 } }
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Sends any request to the client, as a server of 2025-11-25 may in the middle of a call. */
async function request(ctx: Context, method: string, params: JsonObject): Promise<JsonObject> {
  return (await ctx.exchange.ask!({ it: { method, params } })).it!
}

/** A server whose only tool does to its client what a test wants. */
function requesting(run: (ctx: Context) => Promise<unknown>): Server {
  const app = new Server({ name: 'requestor' })
  app.tool('go', { run: async (_, ctx) => JSON.stringify(await run(ctx)) })
  return app
}

function open(connector: Connector, options: ClientOptions = {}, receive = true): Client {
  const elicit = (): ElicitResult => ({ action: 'accept', content: { name: 'Ada' } })
  const client = new Client({ connector, protocolVersion: '2025-11-25', elicit, ...options })
  createTaskClient(client, { receive })
  closing.push(() => client.close())
  return client
}

describe.each([
  ['memory', async (app: Server): Promise<Connector> => memory(app)],
  ['HTTP', overHttp],
] as const)('a client that runs questions as tasks, over %s', (_place, connect) => {
  it('declares what it has handlers for, answers with a task, and gives the answer later', async () => {
    const { opened, open: go } = gate()
    let declared: unknown
    const app = requesting(async (ctx) => {
      declared = ctx.exchange.client.capabilities.tasks
      const { task } = (await request(ctx, 'elicitation/create', QUESTION)) as { task: JsonObject }
      const { taskId } = task
      const before = await request(ctx, 'tasks/get', { taskId })
      const { tasks: listed } = (await request(ctx, 'tasks/list', {})) as { tasks: unknown[] }
      const waiting = request(ctx, 'tasks/result', { taskId })
      go()
      const answer = await waiting
      const after = await request(ctx, 'tasks/get', { taskId })
      return { task, before, listed, answer, after: after.status }
    })
    const elicit = async (): Promise<ElicitResult> => {
      await opened
      return { action: 'accept', content: { name: 'Ada' } }
    }
    const client = open(await connect(app), { elicit })
    const { task, before, listed, answer, after } = (await client.call('go')).json() as Record<
      string,
      JsonObject
    >
    expect(declared).toEqual({ list: {}, cancel: {}, requests: { elicitation: { create: {} } } })
    expect(task).toMatchObject({ status: 'working', ttl: 60_000 })
    expect(before).toEqual(task)
    expect(listed).toEqual([task])
    expect(answer).toEqual({
      action: 'accept',
      content: { name: 'Ada' },
      _meta: { [META.relatedTask]: { taskId: task!.taskId } },
    })
    expect(after).toBe('completed')
  })

  it('stops what is cancelled, once', async () => {
    let aborted = false
    const app = requesting(async (ctx) => {
      const params = { messages: [], maxTokens: 9, task: {} }
      const { task } = (await request(ctx, 'sampling/createMessage', params)) as { task: JsonObject }
      const { taskId } = task
      const cancelled = await request(ctx, 'tasks/cancel', { taskId })
      const again = await request(ctx, 'tasks/cancel', { taskId }).catch(({ code }) => code)
      return [cancelled.status, again]
    })
    const client = open(await connect(app), {
      sample: (_params, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            aborted = true
            reject(signal.reason)
          }),
        ),
    })
    expect((await client.call('go')).json()).toEqual(['cancelled', -32602])
    await until(() => aborted)
  })

  it('refuses what is unknown, and fails with its handler', async () => {
    expectObjections(/GetTaskPayloadRequest|ElicitRequest/, 'has a server ask for tasks wrongly')
    const app = requesting(async (ctx) => {
      const codes: unknown[] = []
      for (const [method, params] of [
        ['tasks/get', { taskId: 'none' }],
        ['tasks/result', { taskId: 7 }],
        ['tasks/list', { cursor: 'garbage' }],
        ['elicitation/create', { ...QUESTION, task: { ttl: 'long' } }],
        ['tasks/update', { taskId: 'none' }],
      ] as const) {
        codes.push(await request(ctx, method, params).catch(({ code }) => code))
      }
      const { task } = (await request(ctx, 'elicitation/create', QUESTION)) as { task: JsonObject }
      const { taskId } = task
      codes.push(await request(ctx, 'tasks/result', { taskId }).catch(({ message }) => message))
      return codes
    })
    const client = open(await connect(app), {
      elicit: () => {
        throw new Error('nobody home')
      },
    })
    const warnings: string[] = []
    client.on('warning', ({ message }) => warnings.push(message))
    expect((await client.call('go')).json()).toEqual([
      -32602,
      -32602,
      -32602,
      -32602,
      -32602,
      'Internal error',
    ])
    expect(warnings).toContain('nobody home')
  })
})

it('is not declared unless it is wanted, nor to other revisions', async () => {
  const app = requesting(async (ctx) => [
    ctx.exchange.client.capabilities.tasks ?? null,
    Object.keys(await request(ctx, 'elicitation/create', QUESTION)),
    await request(ctx, 'tasks/list', {}).catch(({ code }) => code),
  ])
  const answers = [null, ['action', 'content'], -32601]
  expect((await open(memory(app), {}, false).call('go')).json()).toEqual(answers)
  const client = open(memory(app), { protocolVersion: '2025-06-18' })
  expect((await client.call('go')).json()).toEqual(answers)
})
