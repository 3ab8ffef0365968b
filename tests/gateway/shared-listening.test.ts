import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { legacyRequest, listenRaw, modernRequest, openSession } from '../support/raw-client.ts'
import { namedTool, scriptedTarget, type ScriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const SERVER = fileURLToPath(new URL('../fixtures/go-like-server.mjs', import.meta.url))
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function gatewayTo(mcpServers: object): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers })
  closing.push(() => gateway.close())
  return gateway
}

interface Ear {
  readonly heard: { method: string; params: Record<string, unknown> }[]
  stop(): void
}

/** A modern client that listens, by hand. Resolves when it is told so. */
async function listening({ endpoint }: TestGateway, notifications: object): Promise<Ear> {
  const abort = new AbortController()
  const heard: Ear['heard'] = []
  void listenRaw(endpoint, { notifications }, {}, abort.signal, (message) =>
    heard.push(message as Ear['heard'][number]),
  )
  closing.push(() => abort.abort())
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  return { heard, stop: () => abort.abort() }
}

const urisOf = ({ heard }: Ear): unknown[] =>
  heard.filter(({ method }) => method.endsWith('updated')).map(({ params }) => params.uri)

describe.each(['ends', 'forgets'])('a server that %s all subscriptions with one', (mode) => {
  let record: string
  let gateway: TestGateway
  let client: Client

  async function open(more: object = {}): Promise<void> {
    const dir = await mkdtemp(join(tmpdir(), 'gantry-listen-'))
    closing.push(() => rm(dir, { recursive: true, force: true }))
    record = join(dir, 'listens')
    gateway = await gatewayTo({ g: { command: process.execPath, args: [SERVER, record, mode], ...more } })
    client = await connect(gateway.endpoint, { era: 'modern' })
    closing.push(() => client.close())
    await client.listTools().all()
  }

  const touch = (name: string): Promise<unknown> => client.call('g_touch', { uri: `note://${name}` })
  const openStreams = async (): Promise<number> => Number((await client.call('g_listeners')).text())

  it('is listened to once for all, and goes on when one of them leaves', async () => {
    await open()
    const first = await listening(gateway, { resourceSubscriptions: ['g+note://a'] })
    const second = await listening(gateway, { resourceSubscriptions: ['g+note://b'] })
    await expect.poll(openStreams).toBe(1)
    await touch('a')
    await expect.poll(() => urisOf(first)).toContain('g+note://a')
    await touch('b')
    await expect.poll(() => urisOf(second)).toContain('g+note://b')
    expect(urisOf(first)).not.toContain('g+note://b')
    first.stop()
    await expect.poll(openStreams).toBe(1)
    const before = urisOf(second).length
    await touch('b')
    await expect.poll(() => urisOf(second).length).toBeGreaterThan(before)
    await client.call('g_grow')
    const names = async (): Promise<unknown> =>
      (await modernRequest(gateway.endpoint, 'tools/list')).message.result.tools.at(-1).name
    await expect.poll(names).toBe('g_grown')
  })

  it('is heard when everybody has left, and a newer client comes', async () => {
    await open()
    const first = await listening(gateway, { resourceSubscriptions: ['g+note://a'] })
    first.stop()
    const opened = async () => (await readFile(record, 'utf8')).trim().split('\n').at(-1)
    await expect.poll(opened).not.toContain('note://a')
    const second = await listening(gateway, { toolsListChanged: true })
    await expect.poll(openStreams).toBe(1)
    await client.call('g_grow')
    await expect
      .poll(() => second.heard.map(({ method }) => method))
      .toContain('notifications/tools/list_changed')
  })

  it('is listened to again after a crash, also when no client wants to hear anything', async () => {
    await open({ restart: { minDelay: 400 } })
    await expect.poll(openStreams).toBe(1)
    const target = gateway.gateway.target('g')!
    const { connection } = target.main
    process.kill(connection!.process!.pid!)
    await expect.poll(() => target.state === 'ready' && target.main.connection !== connection).toBe(true)
    await expect.poll(openStreams).toBe(1)
  })

  it('is not asked again by those who want what is listened for already', async () => {
    await open()
    const ears = [await listening(gateway, { resourceSubscriptions: ['g+note://a'] })]
    await expect.poll(openStreams).toBe(1)
    const before = (await readFile(record, 'utf8')).split('\n').length
    for (let count = 0; count < 5; count++) {
      ears.push(await listening(gateway, { resourceSubscriptions: ['g+note://a'] }))
    }
    expect((await readFile(record, 'utf8')).split('\n')).toHaveLength(before)
    await touch('a')
    for (const ear of ears) await expect.poll(() => urisOf(ear)).toContain('g+note://a')
  })

  it('is believed in what it does not grant', async () => {
    await open()
    const { heard } = await listening(gateway, { resourceSubscriptions: ['g+note://a', 'g+note://c'] })
    expect(heard[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { resourceSubscriptions: ['g+note://a'] } },
    })
  })
})

it('what a target refuses to listen for is not acknowledged', async () => {
  const target = await scriptedTarget({
    'resources/list': () => ({ resources: [{ uri: 'note://a', name: 'a' }] }),
    'subscriptions/listen': () => ({ error: { code: -32602, message: 'No' } }),
  })
  closing.push(() => target.close())
  const gateway = await gatewayTo({ fmh: { url: target.url } })
  const { heard } = await listening(gateway, { resourceSubscriptions: ['fmh+note://a'] })
  expect(heard[0]).toMatchObject({ params: { notifications: { resourceSubscriptions: [] } } })
  const session = await openSession(gateway.endpoint)
  const uri = 'fmh+note://a'
  const { message } = await legacyRequest(gateway.endpoint, 'resources/subscribe', { uri }, { session })
  expect(message.error).toMatchObject({
    code: -32602,
    message: `The server grants no subscription to ${uri}`,
  })
})

describe('news on the stream of a call', () => {
  /** A modern server that says on the stream of a call what belongs on a subscription, and refuses those. */
  async function talkative(): Promise<ScriptedTarget> {
    const tools = ['talk']
    const target = await scriptedTarget({
      'tools/list': () => ({ tools: tools.map((name) => namedTool(name)), ttlMs: 60_000 }),
      'resources/list': () => ({ resources: [{ uri: 'note://a', name: 'a' }], ttlMs: 60_000 }),
      'tools/call': ({ id, response }) => {
        tools.push(`new${tools.length}`)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const tell = (message: object): unknown =>
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
        tell({ method: 'notifications/resources/updated', params: { uri: 'note://a' } })
        tell({ method: 'notifications/tools/list_changed' })
        tell({ id, result: { resultType: 'complete', content: [] } })
        response.end()
        return undefined
      },
    })
    closing.push(() => target.close())
    return target
  }

  it.each(['legacy', 'modern'] as const)('reaches a %s client in its names', async (era) => {
    const gateway = await gatewayTo({ fmh: { url: (await talkative()).url } })
    const ear = await listening(gateway, {
      toolsListChanged: true,
      resourceSubscriptions: ['fmh+note://a'],
    })
    const params = { name: 'fmh_talk', arguments: {} }
    const session = era === 'legacy' ? await openSession(gateway.endpoint) : undefined
    const { text } =
      session === undefined
        ? await modernRequest(gateway.endpoint, 'tools/call', params)
        : await legacyRequest(gateway.endpoint, 'tools/call', params, { session })
    expect(text).toContain('"uri":"fmh+note://a"')
    expect(text).not.toContain('"uri":"note://a"')
    // Listeners hear of it too, and the lists are read again.
    await expect.poll(() => urisOf(ear)).toContain('fmh+note://a')
    await expect
      .poll(() => ear.heard.map(({ method }) => method))
      .toContain('notifications/tools/list_changed')
    const { message } = await modernRequest(gateway.endpoint, 'tools/list')
    expect(message.result.tools.map(({ name }: { name: string }) => name)).toEqual(['fmh_talk', 'fmh_new1'])
  })

  it('reaches the SDK without a gateway, and its lists are read again', async () => {
    const client = await connect((await talkative()).url)
    closing.push(() => client.close())
    const names = async (): Promise<string[]> => (await client.listTools().all()).map(({ name }) => name)
    const heard: string[] = []
    client.on('toolsChanged', () => heard.push('tools'))
    client.on('resourceUpdated', ({ uri }) => heard.push(uri))
    expect(await names()).toEqual(['talk'])
    await client.call('talk')
    expect(heard).toEqual(['note://a', 'tools'])
    expect(await names()).toEqual(['talk', 'new1'])
  })
})
