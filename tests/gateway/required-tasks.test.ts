import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type ConnectOptions } from '@gantry/mcp/client'
import { tasks } from '@gantry/mcp/extensions/tasks'
import { Server, tool } from '@gantry/mcp/server'
import { serveHttp } from '../support/http-targets.ts'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const FIXTURE = fileURLToPath(new URL('../fixtures/task-only-server.mjs', import.meta.url))
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const program = (eras: string, more: object = {}) => ({
  command: process.execPath,
  args: [FIXTURE],
  env: { ERAS: eras },
  ...more,
})

/** A server of this SDK over HTTP; the tool insists on a task in each revision that has them. */
async function service(revisions: string[]): Promise<object> {
  const app = new Server({
    name: 'task-only',
    revisions: revisions as never,
    tools: { must: tool({ task: 'required', run: async () => 'had to, nobody' }) },
  })
  tasks(app, { pollInterval: 20 })
  const served = await serveHttp(app)
  closing.push(() => served.close())
  return { url: served.url }
}

const SERVERS: Record<string, () => object | Promise<object>> = {
  'an older server on stdio': () => program('legacy'),
  'an older server over HTTP': () => service(['2025-11-25']),
  'a server of both eras': () => program('both'),
  'a server of both eras with a process for each call': () => program('both', { isolation: 'call' }),
  'a modern server': () => service(['2026-07-28']),
}

const LEGACY: Record<string, { options: ConnectOptions; params?: object }> = {
  'a client of 2025-11-25': { options: { era: 'legacy' } },
  'a client of 2025-11-25 that asks for a task': {
    options: { era: 'legacy' },
    params: { task: { ttl: 1000 } },
  },
  'a client of 2025-06-18 that can be asked': {
    options: { era: 'legacy', protocolVersion: '2025-06-18', elicit },
  },
}

async function gatewayTo(entry: object): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers: { old: entry } })
  closing.push(() => gateway.close())
  return gateway
}

const callMust = ({ endpoint }: TestGateway, capabilities: object, more: object = {}) =>
  modernRequest(endpoint, 'tools/call', { name: 'old_must', arguments: {}, ...more }, { capabilities })

describe.each(Object.keys(SERVERS))('a tool that insists on a task, of %s', (server) => {
  const isModern = server === 'a modern server'

  it.each(Object.keys(LEGACY))('works for %s', async (client) => {
    const { options, params } = LEGACY[client]!
    const gateway = await gatewayTo(await SERVERS[server]!())
    await using connected = await connect(gateway.endpoint, options)
    const result = await connected.request('tools/call', { name: 'old_must', arguments: {}, ...params })
    expect(result).toMatchObject({ content: [{ text: 'had to, nobody' }] })
    expect(result).not.toHaveProperty('task')
    expect(result._meta ?? {}).not.toHaveProperty(['io.modelcontextprotocol/related-task'])
  })

  it(`${isModern ? 'is refused by its server' : 'works'} for a modern client without tasks`, async () => {
    const { message } = await callMust(await gatewayTo(await SERVERS[server]!()), {})
    if (isModern) expect(message.error).toMatchObject({ code: -32021 })
    else
      expect(message.result).toMatchObject({ resultType: 'complete', content: [{ text: 'had to, nobody' }] })
  })

  it('is refused for a modern client without tasks where the target is set to refuse', async () => {
    const gateway = await gatewayTo({ ...(await SERVERS[server]!()), tasks: 'refuse' })
    expect((await callMust(gateway, {})).message.error).toMatchObject({ code: -32021 })
  })

  it('is a task for a modern client that has them', async () => {
    const gateway = await gatewayTo(await SERVERS[server]!())
    const { result } = (await callMust(gateway, TASKS)).message
    expect(result).toMatchObject({ resultType: 'task' })
    const get = async () =>
      (await modernRequest(gateway.endpoint, 'tasks/get', { taskId: result.taskId }, { capabilities: TASKS }))
        .message.result
    await expect.poll(async () => (await get()).status).toBe('completed')
    expect((await get()).result.content).toMatchObject([{ text: 'had to, nobody' }])
  })
})

it.each(['legacy', 'both'])('its questions reach a modern client without tasks (%s)', async (eras) => {
  const gateway = await gatewayTo(program(eras))
  const capabilities = { elicitation: { form: {} } }
  const asked = (await callMust(gateway, capabilities, { arguments: { ask: true } })).message.result
  expect(asked).toMatchObject({ resultType: 'input_required' })
  const [key] = Object.keys(asked.inputRequests)
  const { result } = (
    await callMust(gateway, capabilities, {
      arguments: { ask: true },
      requestState: asked.requestState,
      inputResponses: { [key!]: elicit() },
    })
  ).message
  expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'had to, Ada' }] })
  expect(result._meta ?? {}).not.toHaveProperty(['io.modelcontextprotocol/related-task'])
})

it('its progress reaches a modern client without tasks', async () => {
  const gateway = await gatewayTo(program('legacy'))
  await using client = await connect(gateway.endpoint, { era: 'modern' })
  const steps: unknown[] = []
  const onProgress = ({ progress }: { progress: number }) => steps.push(progress)
  const { raw } = await client.call('old_must', { steps: 3 }, { onProgress })
  expect(raw.content).toMatchObject([{ text: 'had to, nobody' }])
  expect(steps).toEqual([1, 2, 3])
})
