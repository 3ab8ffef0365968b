import { createServer, type Server as HttpServer } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { becomeTask, tasks } from '@gantry/mcp/extensions/tasks'
import { skills } from '@gantry/mcp/extensions/skills'
import { resourceLink, Server, tool } from '@gantry/mcp/server'
import { serveHttp } from '../support/http-targets.ts'
import { legacyRequest, listenRaw, modernRequest, openSession } from '../support/raw-client.ts'
import { BOTH_ERAS, testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(
  mcpServers: Record<string, object>,
  embedded: Record<string, Server> = {},
): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers }, { embedded: new Map(Object.entries(embedded)) })
  closing.push(() => gateway.close())
  return gateway
}

async function open(gateway: TestGateway, era: 'legacy' | 'modern'): Promise<Client> {
  const client = await connect(gateway.endpoint, {
    era,
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  })
  closing.push(() => client.close())
  return client
}

describe('an API that is described by OpenAPI', () => {
  async function petApi(): Promise<HttpServer> {
    const server = createServer(async (request, response) => {
      const pet = /^\/pets\/(\d+)/.exec(request.url ?? '')?.[1]
      response.writeHead(pet === '404' ? 404 : 200, { 'content-type': 'application/json' })
      const trace = request.headers['x-tenant'] ?? null
      response.end(JSON.stringify(pet === '404' ? { problem: 'no such pet' } : { id: Number(pet), trace }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    return server
  }

  it.each(['legacy', 'modern'] as const)('is called for real by a %s client', async (era) => {
    const { port } = (await petApi()).address() as AddressInfo
    const dir = await mkdtemp(join(tmpdir(), 'gantry-openapi-'))
    closing.push(() => rm(dir, { recursive: true, force: true }))
    const document = join(dir, 'pets.json')
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
    await writeFile(
      document,
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Pets', version: '1' },
        servers: [{ url: `http://127.0.0.1:${port}` }],
        paths: {
          '/pets/{id}': {
            get: { operationId: 'getPet', parameters: [id], responses: { 200: { description: 'A pet' } } },
          },
        },
      }),
    )
    const gateway = await start({ pets: { openapi: { document } } })
    const client = await open(gateway, era)
    const found = await client.call('pets_getPet', { id: 7 })
    expect(JSON.parse(found.text())).toEqual({ id: 7, trace: null })
    const missing = await client.call('pets_getPet', { id: 404 })
    expect(missing.isError).toBe(true)
    expect(missing.text()).toMatch(/404.*no such pet/s)
  })
})

describe('a module in this process', () => {
  it('is loaded, made with its options and served like any other', async () => {
    const module = fileURLToPath(new URL('../fixtures/module-server.mjs', import.meta.url))
    const gateway = await start({ mod: { module, options: { greeting: 'Ahoy' } } })
    for (const era of ['legacy', 'modern'] as const) {
      const client = await open(gateway, era)
      expect((await client.call('mod_greet')).text()).toBe('Ahoy, module')
    }
  })
})

describe('tasks across the gateway', () => {
  function studio(): Server {
    const schema = { type: 'object', properties: { name: { type: 'string' } } }
    const link = resourceLink({ uri: 'test://picture', name: 'picture' })
    const app = new Server({
      name: 'studio',
      tools: {
        render: tool({ task: 'optional', run: async () => link }),
        must: tool({ task: 'required', run: async () => 'done' }),
        ask: tool({
          task: 'manual',
          run: async (_, ctx) => {
            becomeTask(ctx)
            const { name } = (await ctx.elicit('Name?', schema)) as { name: string }
            return `Hello ${name}`
          },
        }),
      },
      resources: [{ uri: 'test://picture', name: 'picture', text: 'a picture' }],
    })
    tasks(app, { pollInterval: 20 })
    return app
  }
  const declared = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } }

  it.each(['in process', 'HTTP'])('a modern client that declares them gets a handle (%s)', async (how) => {
    const app = studio()
    const served = how === 'HTTP' ? await serveHttp(app) : undefined
    if (served) closing.push(() => served.close())
    const gateway = await start({ art: served ? { url: served.url } : { module: 'art' } }, { art: app })
    const ask = (method: string, params: object) =>
      modernRequest(gateway.endpoint, method, params as never, { capabilities: declared })
    const { result } = (await ask('tools/call', { name: 'art_render' })).message
    expect(result).toMatchObject({ resultType: 'task', taskId: expect.any(String) })
    await expect
      .poll(async () => (await ask('tasks/get', { taskId: result.taskId })).message.result.status)
      .toBe('completed')
    const done = (await ask('tasks/get', { taskId: result.taskId })).message.result
    expect(done.taskId).toBe(result.taskId)
    expect(done.result.content[0].uri).toBe('art+test://picture')
    const unknown = await ask('tasks/get', { taskId: 'art:nonsense' })
    expect(unknown.message.error.code).toBe(-32602)
  })

  it('a modern client hears of its task under the name that it knows', async () => {
    const gateway = await start({ art: { module: 'art' } }, { art: studio() })
    const ask = (method: string, params: object, signal?: AbortSignal) =>
      modernRequest(gateway.endpoint, method, params as never, {
        capabilities: declared,
        ...(signal && { signal }),
      })
    const { taskId } = (await ask('tools/call', { name: 'art_ask' })).message.result
    const status = async () => (await ask('tasks/get', { taskId })).message.result
    await expect.poll(async () => (await status()).status).toBe('input_required')
    const heard: { method: string; params: { taskId?: string; status?: string } }[] = []
    const abort = new AbortController()
    closing.push(() => abort.abort())
    const notifications = { taskIds: [taskId] }
    void listenRaw(gateway.endpoint, { notifications }, declared, abort.signal, (one) =>
      heard.push(one as never),
    )
    await expect
      .poll(() => heard.map((one) => one.method))
      .toContain('notifications/subscriptions/acknowledged')
    const [key] = Object.keys((await status()).inputRequests)
    const inputResponses = { [key!]: { action: 'accept', content: { name: 'Ada' } } }
    await ask('tasks/update', { taskId, inputResponses })
    await expect
      .poll(() => heard.filter((one) => one.method === 'notifications/tasks').map((one) => one.params))
      .toContainEqual(expect.objectContaining({ taskId, status: 'completed' }))
  })

  it('a modern client that does not is served at once, or refused as the target says', async () => {
    const gateway = await start({ art: { module: 'art' } }, { art: studio() })
    const render = await modernRequest(gateway.endpoint, 'tools/call', { name: 'art_render' })
    expect(render.message.result.content[0].uri).toBe('art+test://picture')
    const must = await modernRequest(gateway.endpoint, 'tools/call', { name: 'art_must' })
    expect(must.message.error.code).toBe(-32021)
  })

  it('a legacy client waits, and is asked what the task asks', async () => {
    const gateway = await start({ art: { module: 'art' } }, { art: studio() })
    const client = await open(gateway, 'legacy')
    expect((await client.call('art_must')).text()).toBe('done')
    expect((await client.call('art_ask')).text()).toBe('Hello Ada')
    expect((await client.call('art_render')).raw.content).toMatchObject([{ uri: 'art+test://picture' }])
  })
})

describe('skills across the gateway', () => {
  it.each(['legacy', 'modern'] as const)('are listed, described and read by a %s client', async (era) => {
    const app = new Server({ name: 'teacher' })
    const text = '---\nname: greet\ndescription: How to greet\n---\nSay hello.'
    skills(app, [{ files: { 'SKILL.md': text, 'more/list.md': 'x' } }])
    const gateway = await start(
      { school: { module: 'school' }, other: { module: 'other' } },
      {
        school: app,
        other: new Server({ name: 'other', tools: { x: tool({ run: () => 'x' }) } }),
      },
    )
    const session = era === 'legacy' ? await openSession(gateway.endpoint) : undefined
    const ask = async (method: string, params = {}) =>
      session === undefined
        ? (await modernRequest(gateway.endpoint, method, params)).message.result
        : (await legacyRequest(gateway.endpoint, method, params, { session })).message.result
    const uri = 'school+skill://greet/SKILL.md'
    expect((await ask('skills/list')).skills[0].uri).toBe(uri)
    const { skill } = await ask('skills/get', { uri })
    expect(skill.uri).toBe(uri)
    expect(skill.resources.map((one: { uri: string }) => one.uri)).toContain(
      'school+skill://greet/more/list.md',
    )
    const { resources } = await ask('resources/directory/read', { uri: 'school+skill://greet' })
    expect(resources.every((one: { uri: string }) => one.uri.startsWith('school+skill://greet/'))).toBe(true)
    expect((await ask('resources/read', { uri })).contents[0]).toMatchObject({ uri, text })
  })
})

it('shows no skill whose file cannot be read', async () => {
  const app = new Server({ name: 'teacher' })
  const file = (name: string) => ({ 'SKILL.md': `---\nname: ${name}\ndescription: How to\n---\n` })
  skills(app, [{ files: file('greet') }, { files: file('leave') }])
  const entry = { module: 'school', resources: { exclude: ['skill://greet/*'] } }
  const gateway = await start({ school: entry }, { school: app })
  const { result } = (await modernRequest(gateway.endpoint, 'skills/list')).message
  expect(result.skills).toMatchObject([{ uri: 'school+skill://leave/SKILL.md' }])
  const uri = 'school+skill://greet/SKILL.md'
  expect((await modernRequest(gateway.endpoint, 'skills/get', { uri })).message.error.code).toBe(-32602)
})

describe('completion across the gateway', () => {
  it('works for prefixed prompts and rewritten templates', async () => {
    const app = new Server({
      name: 'words',
      prompts: {
        poem: {
          arguments: [{ name: 'style', complete: () => ['haiku', 'sonnet'] }],
          run: () => 'a poem',
        } as never,
      },
      templates: {
        city: {
          uriTemplate: 'city://{name}',
          complete: { name: () => ['Bern', 'Basel'] },
          read: () => 'a city',
        } as never,
      },
    })
    const gateway = await start({ w: { module: 'w' } }, { w: app })
    for (const era of ['legacy', 'modern'] as const) {
      const client = await open(gateway, era)
      const prompt = await client.complete(
        { type: 'ref/prompt', name: 'w_poem' },
        { name: 'style', value: '' },
      )
      expect(prompt.values).toContain('haiku')
      const city = await client.complete(
        { type: 'ref/resource', uri: 'w+city://{name}' },
        { name: 'name', value: 'B' },
      )
      expect(city.values).toContain('Bern')
    }
  })

  it('a resource that is not there has the code of the client’s era and its public name', async () => {
    const app = new Server({ name: 'files', resources: [{ uri: 'test://one', name: 'one', text: '1' }] })
    const served = await serveHttp(app)
    closing.push(() => served.close())
    const gateway = await start({ f: { url: served.url, era: 'legacy' }, g: { module: 'g' } }, { g: app })
    const session = await openSession(gateway.endpoint)
    for (const target of ['f', 'g']) {
      const uri = `${target}+test://two`
      const modern = (await modernRequest(gateway.endpoint, 'resources/read', { uri })).message
      expect(modern.error).toMatchObject({ code: -32602, data: { uri } })
      const legacy = (await legacyRequest(gateway.endpoint, 'resources/read', { uri }, { session })).message
      expect(legacy.error).toMatchObject({ code: -32002, data: { uri } })
    }
  })
})

describe('a gateway behind a gateway', () => {
  it.each(['legacy', 'modern'] as const)(
    'passes questions on to a %s client, from either era',
    async (era) => {
      const inner = await testGateway(BOTH_ERAS)
      closing.push(() => inner.close())
      const outer = await start({
        inner: { url: inner.endpoint },
        old: { url: inner.endpoint, era: 'legacy' },
      })
      const client = await open(outer, era)
      for (const name of ['inner_old', 'inner_new', 'old_old', 'old_new']) {
        expect((await client.call(`${name}_greet`)).text()).toBe('Hello, Ada!')
        expect((await client.call(`${name}_twice`)).text()).toBe('Ada Ada Ada')
      }
      const { contents } = await client.readResource('inner+new+test://thing')
      expect(contents[0]).toMatchObject({ uri: 'inner+new+test://thing' })
    },
  )
})
