import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, http, sse, type Client, type Connector } from '@gantry/mcp/client'
import { socket } from '@gantry/mcp/client/node'
import { deriveExchange, type Middleware, type Notification } from '@gantry/mcp/exchange'
import { TASKS_EXTENSION, tasks } from '@gantry/mcp/extensions/tasks'
import { Server, tool } from '@gantry/mcp/server'
import { serveSocket } from '@gantry/mcp/server/node'
import { serveHttp } from '../support/http-targets.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

// A task belongs to what was called to make it. When that is denied, the task does not exist any more.

const NAMES = ['open', 'closed'] as const
/** What ends the calls under way of each tool. */
const ends = { open: [] as (() => void)[], closed: [] as (() => void)[] }
const waiting = (name: (typeof NAMES)[number]) => () =>
  new Promise<string>((resolve) => ends[name].push(() => resolve('done')))
const end = (name: (typeof NAMES)[number]): void => {
  for (const one of ends[name].splice(0)) one()
}
const TOOLS = NAMES.map((name) => [name, tool({ task: 'optional', run: waiting(name) })] as const)

/** As 2025-11-25 has it: the tools say that they take long, and the gateway runs their calls as tasks of its own. */
const announce: Middleware = async (exchange, next) => {
  const outcome = await next()
  if (exchange.method !== 'tools/list' || outcome.type !== 'complete') return outcome
  const listed = outcome.result.tools as object[]
  const marked = listed.map((one) => ({ ...one, execution: { taskSupport: 'optional' } }))
  return { type: 'complete', result: { ...outcome.result, tools: marked } }
}

const closing: (() => unknown)[] = []
let gateway: TestGateway
let folder: string
let config: Record<string, unknown>

beforeAll(async () => {
  const modern = new Server({ name: 'theirs', tools: Object.fromEntries(TOOLS) })
  tasks(modern, { pollInterval: 20 })
  const older = await serveHttp(
    new Server({
      name: 'ours',
      revisions: ['2025-11-25'],
      middleware: [announce],
      tools: Object.fromEntries(NAMES.map((name) => [name, tool({ run: waiting(name) })])),
    }),
  )
  config = { mcpServers: { theirs: { module: 'theirs' }, ours: { url: older.url } } }
  gateway = await testGateway(config, { embedded: new Map([['theirs', modern]]) })
  folder = await mkdtemp(join(tmpdir(), 'gantry-pipe-'))
  const pipe = await serveSocket(gateway.gateway.endpoint()!, { path: join(folder, 'pipe') })
  closing.push(
    () => rm(folder, { recursive: true }),
    () => older.close(),
    () => gateway.close(),
    () => pipe.close(),
  )
})
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Edge {
  readonly name: string
  readonly connector: (target: string) => Connector
  readonly prefix: (target: string) => string
}

const prefixed = (target: string): string => `${target}_`
const EDGES: Edge[] = [
  { name: '/mcp', connector: () => http(gateway.endpoint), prefix: prefixed },
  { name: '/mcp/NAME', connector: (target) => http(`${gateway.endpoint}/${target}`), prefix: () => '' },
  { name: 'a pipe', connector: () => socket({ path: join(folder, 'pipe') }), prefix: prefixed },
]

const METHODS = [
  ['tasks/get', {}],
  ['tasks/update', { inputResponses: {} }],
  ['tasks/cancel', {}],
] as const

async function refusalOf(client: Client, method: string, taskId: string, params: object): Promise<string> {
  try {
    const result = await client.request(method, { taskId, ...params })
    return `was answered: ${JSON.stringify(result)}`
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data?: unknown }
    return JSON.stringify({ code, message, data }).replaceAll(taskId, 'TASK')
  }
}

/** Tasks as the results that they are on the wire. */
const plainTasks: Middleware = async (_exchange, next) => {
  const outcome = await next()
  return outcome.type === 'task' ? { type: 'complete', result: outcome.task } : outcome
}

/** Listens to tasks: those that the gateway agrees to tell of, and what it tells from then on. */
async function listenTo(client: Client, taskIds: string[]) {
  const stop = new AbortController()
  closing.push(() => stop.abort())
  const news: unknown[] = []
  const granted = await new Promise<unknown>((resolve, reject) => {
    client.use((exchange, next) => {
      if (exchange.method !== 'subscriptions/listen') return next()
      const notify = ({ method, params }: Notification): void => {
        if (method === 'notifications/tasks') news.push(`${params!.taskId} ${params!.status}`)
        else resolve((params!.notifications as { taskIds: unknown }).taskIds)
      }
      return next(deriveExchange(exchange, { notify }))
    })
    const params = { notifications: { taskIds } }
    client.request('subscriptions/listen', params, { signal: stop.signal }).catch(reject)
  })
  return { granted, news }
}

describe.each(EDGES)('a task at $name', ({ connector, prefix }) => {
  it.each(['theirs', 'ours'])(
    'of a tool of %s that is denied since is like one that never was',
    async (target) => {
      const capabilities = { extensions: { [TASKS_EXTENSION]: {} } }
      const client = await connect(connector(target), { era: 'modern', capabilities })
      closing.push(() => client.close())
      client.use(plainTasks)
      const begin = async (name: string): Promise<string> => {
        const task = await client.request('tools/call', { name: prefix(target) + name })
        return (task as { taskId: string }).taskId
      }
      const [open, closed] = [await begin('open'), await begin('closed')]
      for (const id of [open, closed]) {
        expect(await client.request('tasks/get', { taskId: id })).toMatchObject({ status: 'working' })
      }
      const before = await listenTo(client, [closed, open])
      expect(before.granted).toHaveLength(2)
      const { stateDir } = gateway
      const rules = [{ deny: [`tools:${target}/closed`] }]
      await gateway.gateway.apply(await modelOf({ ...config, stateDir, policy: { rules } }))
      try {
        for (const [method, params] of METHODS) {
          const never = await refusalOf(client, method, `x${closed}`, params)
          expect(never).toMatch(/"code":-32602,"message":"Unknown task: TASK"/)
          expect(await refusalOf(client, method, closed, params)).toBe(never)
        }
        expect((await listenTo(client, [closed, `x${closed}`, open])).granted).toEqual([open])
        expect(await client.request('tasks/get', { taskId: open })).toMatchObject({ status: 'working' })
        before.news.length = 0
        end('closed')
        end('open')
        await expect.poll(() => before.news).toContain(`${open} completed`)
        expect(before.news.join()).not.toContain(closed)
      } finally {
        await gateway.gateway.apply(await modelOf({ ...config, stateDir }))
      }
    },
  )
})

describe.each([
  { name: '/mcp', connector: () => http(gateway.endpoint) },
  { name: '/mcp/NAME', connector: () => http(`${gateway.endpoint}/theirs`) },
  { name: '/sse', connector: () => sse(`${gateway.url}/sse`) },
  { name: 'a pipe', connector: () => socket({ path: join(folder, 'pipe') }) },
])('for a legacy client at $name', ({ connector }) => {
  it('there are no tasks at all', async () => {
    const client = await connect(connector(), { era: 'legacy' })
    closing.push(() => client.close())
    for (const method of ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel']) {
      await expect(client.request(method, { taskId: 'x' })).rejects.toMatchObject({
        code: -32601,
        message: `Method not found: ${method}`,
      })
    }
  })
})
