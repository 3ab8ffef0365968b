import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client as OwnClient, type Connector, http } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { createTaskClient } from '@gantry/mcp/extensions/tasks'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { serveHttp } from '../support/http-targets.ts'
import { createTasksApp } from './fixtures/tasks-app.mjs'

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serveOwn(): Promise<URL> {
  const target = await serveHttp(createTasksApp())
  closing.push(() => target.close())
  return new URL(target.url)
}

const TRANSPORTS: [string, () => Promise<Transport>][] = [
  [
    'stdio',
    async () => new StdioClientTransport({ command: process.execPath, args: [fixture('tasks-server.mjs')] }),
  ],
  ['HTTP', async () => new StreamableHTTPClientTransport(await serveOwn()) as Transport],
]

describe.each(TRANSPORTS)('the official client 1.32 with our tasks, over %s', (_, transport) => {
  async function open() {
    const statuses: string[] = []
    const client = new Client(
      { name: 'official', version: '1' },
      { capabilities: { elicitation: {}, sampling: {} } },
    )
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      expect(params._meta?.['io.modelcontextprotocol/related-task']).toBeDefined()
      return { action: 'accept' as const, content: { name: 'Ada' } }
    })
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
      role: 'assistant' as const,
      model: 'm',
      content: {
        type: 'text' as const,
        text: JSON.stringify(params.messages).includes('Ada') ? 'Dear Ada' : '?',
      },
    }))
    client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
      statuses.push(params.status)
    })
    await client.connect(await transport())
    closing.push(() => client.close())
    await client.listTools()
    return { client, tasks: client.experimental.tasks, statuses }
  }

  /** Calls a tool as that SDK has it: a stream of what becomes of the task, and the result. */
  async function stream({ tasks }: Awaited<ReturnType<typeof open>>, name: string) {
    const seen: string[] = []
    for await (const message of tasks.callToolStream({ name }, CallToolResultSchema, {
      task: { ttl: 60_000 },
    })) {
      seen.push(message.type === 'taskStatus' ? message.task.status : message.type)
      if (message.type === 'result') return { seen, result: message.result }
      if (message.type === 'error') throw message.error
    }
    throw new Error('no result')
  }

  it('creates, polls and fetches', async () => {
    const opened = await open()
    expect(opened.client.getServerCapabilities()?.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    })
    const { seen, result } = await stream(opened, 'render')
    expect(seen[0]).toBe('taskCreated')
    expect(seen.at(-1)).toBe('result')
    expect(result).toMatchObject({ content: [{ text: 'rendered' }] })
    expect((await stream(opened, 'must')).result).toMatchObject({ content: [{ text: 'had to' }] })
    expect(await opened.client.callTool({ name: 'plain' })).toMatchObject({ content: [{ text: 'plain' }] })
  })

  it('is asked by the task', async () => {
    const { result } = await stream(await open(), 'greet')
    expect(result).toMatchObject({ content: [{ text: 'Dear Ada' }] })
  })

  it('lists, cancels, hears of it, and is told what is wrong', async () => {
    const opened = await open()
    const { client, tasks, statuses } = opened
    const created = tasks.callToolStream({ name: 'forever' }, CallToolResultSchema, { task: {} })
    const first = await created.next()
    const taskId = first.value?.type === 'taskCreated' ? first.value.task.taskId : ''
    expect((await tasks.listTasks()).tasks.map((task) => task.taskId)).toEqual([taskId])
    expect(await tasks.getTask(taskId)).toMatchObject({ status: 'working' })
    expect(await tasks.cancelTask(taskId)).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => statuses).toEqual(['cancelled'])
    await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 })
    await expect(tasks.getTask('none')).rejects.toMatchObject({ code: -32602 })
    await expect(tasks.listTasks('garbage')).rejects.toMatchObject({ code: -32602 })
    await expect(
      client.request({ method: 'tools/call', params: { name: 'must' } }, CallToolResultSchema),
    ).rejects.toMatchObject({ code: -32601 })
    await created.return()
  })
})

async function officialHttp(): Promise<Connector> {
  const child = spawn(process.execPath, [fixture('official-tasks-server.mjs'), 'http'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  closing.push(() => {
    child.stdin.end()
    return exited
  })
  const [port] = await once(child.stdout, 'data')
  return http(`http://127.0.0.1:${String(port).trim()}/mcp`)
}

const OFFICIAL: [string, () => Promise<Connector>][] = [
  [
    'stdio',
    async () => stdio({ command: process.execPath, args: [fixture('official-tasks-server.mjs'), 'stdio'] }),
  ],
  ['HTTP', officialHttp],
]

describe.each(OFFICIAL)('our client with the tasks of an official server 1.32, over %s', (_, connector) => {
  async function open() {
    const client = new OwnClient({
      connector: await connector(),
      elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    })
    closing.push(() => client.close())
    return { client, runs: createTaskClient(client, { receive: true }) }
  }

  it('awaits them as if there were none, questions included', async () => {
    const { client } = await open()
    expect((await client.call('render')).text()).toBe('rendered')
    expect((await client.call('must')).text()).toBe('had to')
    expect((await client.call('plain')).text()).toBe('plain')
    expect((await client.call('greet')).text()).toBe('Hello Ada')
    const failed = await client.call('fail')
    expect([failed.isError, failed.text()]).toEqual([true, 'no ink'])
  })

  it('runs a question as a task for the server', async () => {
    const { client } = await open()
    expect((await client.call('ask_as_task')).text()).toBe('taskCreated: Hello Ada')
  })

  it('holds them, lists them and cancels them', async () => {
    const { runs } = await open()
    const run = await runs.start('forever', undefined, { ttl: '1m' })
    const taskId = String(run.taskId)
    expect(await run.status()).toMatchObject({ taskId, status: 'working', ttlMs: 60_000 })
    expect((await runs.list().all()).map((task) => task.taskId)).toEqual([taskId])
    const waiting = expect(run.result()).rejects.toMatchObject({ code: 'cancelled' })
    expect(await runs.cancel(taskId)).toMatchObject({ status: 'cancelled' })
    await waiting
    await expect(runs.get('none')).rejects.toMatchObject({ code: -32602 })
    const other = await runs.start('render')
    expect((await runs.resume(JSON.parse(JSON.stringify(other))).result()).text()).toBe('rendered')
  })
})
