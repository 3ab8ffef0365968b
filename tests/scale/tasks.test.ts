import { setTimeout as sleep } from 'node:timers/promises'
import { connect, http } from '@gantry/mcp/client'
import type { Exchange, Outcome } from '@gantry/mcp/exchange'
import { Server, tool } from '@gantry/mcp/server'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { listenRaw, modernRequest } from '../support/raw-client.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const COUNTER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
const DECLARED = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } }
const NAME = { type: 'object', properties: { name: { type: 'string' } } }

let target: HttpTarget
let replicas: Replicas
let cancelled = 0

/** An older server says of its tools that they can be tasks. */
async function announce(exchange: Exchange, next: () => Outcome | Promise<Outcome>): Promise<Outcome> {
  const outcome = await next()
  if (exchange.method !== 'tools/list' || outcome.type !== 'complete') return outcome
  const tools = (outcome.result.tools as object[]).map((one) => ({
    ...one,
    execution: { taskSupport: 'optional' },
  }))
  return { type: 'complete', result: { ...outcome.result, tools } }
}

beforeAll(async () => {
  const app = new Server({
    name: 'old',
    version: '1.0.0',
    revisions: ['2025-11-25'],
    middleware: [announce],
    tools: {
      greet: tool({
        run: async (_, ctx) => `Hello ${((await ctx.elicit('Name?', NAME)) as { name: string }).name}`,
      }),
      work: tool({
        run: (_, ctx) => {
          ctx.signal.addEventListener('abort', () => void cancelled++)
          return new Promise<string>(() => {})
        },
      }),
    },
  })
  target = await serveHttp(app)
  const counter = { command: process.execPath, args: [COUNTER], env: { REVISIONS: '2025-11-25' } }
  replicas = await startReplicas(3, { mcpServers: { old: { url: target.url }, counter } })
})
afterAll(async () => {
  await replicas?.close()
  await target?.close()
})

const ask = async (at: number, method: string, params: Record<string, unknown>) =>
  (await modernRequest(replicas.all[at]!.endpoint, method, params, { capabilities: DECLARED })).message

it('a task that one gateway runs is followed, answered and heard of at the others', async () => {
  const { result } = await ask(0, 'tools/call', { name: 'old_greet' })
  expect(result).toMatchObject({ resultType: 'task', status: 'working' })
  const { taskId } = result
  const heard: { method: string; params: { status?: string } }[] = []
  const listening = new AbortController()
  void listenRaw(
    replicas.all[2]!.endpoint,
    { notifications: { taskIds: [taskId] } },
    DECLARED,
    listening.signal,
    (one) => heard.push(one as never),
  )
  await expect.poll(() => heard[0]).toMatchObject({ params: { notifications: { taskIds: [taskId] } } })
  const get = async (at: number) => (await ask(at, 'tasks/get', { taskId })).result
  await expect.poll(async () => (await get(1)).status).toBe('input_required')
  const [key] = Object.keys((await get(2)).inputRequests)
  const inputResponses = { [key!]: { action: 'accept', content: { name: 'Ada' } } }
  await ask(2, 'tasks/update', { taskId, inputResponses })
  for (const at of [1, 2, 0]) {
    await expect.poll(async () => (await get(at)).status).toBe('completed')
    expect((await get(at)).result.content).toMatchObject([{ text: 'Hello Ada' }])
  }
  await expect.poll(() => heard.map(({ params }) => params.status)).toContain('completed')
  listening.abort()
})

it('a task is cancelled from another gateway', async () => {
  const { taskId } = (await ask(1, 'tools/call', { name: 'old_work' })).result
  await ask(2, 'tasks/cancel', { taskId })
  await expect.poll(() => cancelled).toBe(1)
  expect((await ask(0, 'tasks/get', { taskId })).result.status).toBe('cancelled')
})

it('a call that may be made twice is made again when its program dies behind another gateway', async () => {
  const clients = await Promise.all(
    replicas.all.map(({ endpoint }) => connect(http(endpoint), { era: 'modern' })),
  )
  const first = Number((await clients[0]!.call('counter_who')).text())
  const calls = clients.map((client) => client.call('counter_patient', {}))
  await sleep(500)
  process.kill(first, 'SIGKILL')
  const pids = (await Promise.all(calls)).map((result) => Number(result.text()))
  for (const pid of pids) expect(pid).not.toBe(first)
  await Promise.all(clients.map((client) => client.close()))
})
