import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { toNodeHandler } from '@gantry/mcp/server/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from './fixtures/everything-app.mjs'
import { openOfficial1 } from './support/official-1.ts'
import { type Mode, openOfficial2 } from './support/official-2.ts'
import { CAPABILITIES, type OfficialPeer, type Target } from './support/official-peer.ts'

const SERVER = fileURLToPath(new URL('./fixtures/everything-server.mjs', import.meta.url))
const MODERN = '2026-07-28'

type Transport = 'stdio' | 'http' | 'sse'
const modern: Mode = { pin: MODERN }
const CELLS: [string, Transport, (target: Target) => Promise<OfficialPeer>][] = (
  ['stdio', 'http', 'sse'] as const
).flatMap((transport) => [
  ['1.32', transport, openOfficial1],
  ['2.4 legacy', transport, (target: Target) => openOfficial2(target, 'legacy')],
  ['2.4 auto', transport, (target: Target) => openOfficial2(target, 'auto')],
  ['2.4 modern', transport, (target: Target) => openOfficial2(target, modern)],
])

/** A server of its own for each cell. */
async function serve(kind: Transport): Promise<{ target: Target; stop(): Promise<void> }> {
  if (kind === 'stdio') {
    return { target: { kind, command: process.execPath, args: [SERVER] }, stop: async () => {} }
  }
  const handler = toNodeHandler(createApp())
  const server = createServer(handler)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return {
    target: { kind, url },
    stop: async () => {
      handler.close()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

describe.each(CELLS)('the official client %s over %s', (name, transport, open) => {
  let peer: OfficialPeer
  let stop: () => Promise<void>
  beforeAll(async () => {
    const served = await serve(transport)
    stop = served.stop
    peer = await open(served.target)
  })
  afterAll(async () => {
    await peer?.close()
    await stop()
  })

  it('knows the server', () => {
    expect(peer.isModern).toBe(name === '2.4 auto' || name === '2.4 modern')
    expect(peer.serverInfo).toMatchObject({ name: 'everything', version: '1.2.3', title: 'Everything' })
    expect(peer.instructions).toBe('Try it all.')
    expect(peer.capabilities).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    })
  })

  it('lists everything, page by page', async () => {
    const walk = async (method: string, member: string): Promise<{ name: string }[]> => {
      const items: { name: string }[] = []
      let cursor: unknown
      do {
        const page = await peer.request(method, cursor === undefined ? {} : { cursor })
        const found = page[member] as { name: string }[]
        expect(found.length).toBeLessThanOrEqual(4)
        items.push(...found)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      return items
    }
    const tools = await walk('tools/list', 'tools')
    expect(tools).toHaveLength(18)
    expect(tools[0]).toMatchObject({
      name: 'echo',
      title: 'Echo',
      description: 'Says it again',
      inputSchema: { type: 'object', required: ['text'] },
      annotations: { readOnlyHint: true },
    })
    expect(await walk('resources/list', 'resources')).toHaveLength(7)
    expect((await walk('prompts/list', 'prompts')).map((prompt) => prompt.name)).toEqual([
      'greeting',
      'plain',
      'linked',
    ])
    expect(await walk('resources/templates/list', 'resourceTemplates')).toMatchObject([{ name: 'city' }])
    await expect(peer.request('tools/list', { cursor: 'nonsense' })).rejects.toMatchObject({ code: -32602 })
  })

  it('calls tools', async () => {
    expect(await peer.call('echo', { text: 'hällo ☃' })).toMatchObject({
      content: [{ type: 'text', text: 'hällo ☃' }],
    })
    expect(await peer.call('add', { a: 2, b: 3 })).toMatchObject({
      structuredContent: { sum: 5 },
      content: [{ text: '{"sum":5}' }],
    })
    expect((await peer.call('picture')).content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    expect(await peer.call('fail')).toMatchObject({ isError: true, content: [{ text: 'No luck today' }] })
    expect(await peer.call('crash')).toMatchObject({
      isError: true,
      content: [{ text: 'Internal error occurred' }],
    })
    const wrong = await peer.call('add', { a: 'two' })
    expect(wrong).toMatchObject({ isError: true })
    expect(wrong.content[0]?.text).toMatch(/a.*b|b.*a/s)
    await expect(peer.call('constructor')).rejects.toMatchObject({ code: -32602 })
  })

  it('calls many tools at once', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `call ${index}`)
    const results = await Promise.all(texts.map((text) => peer.call('echo', { text })))
    expect(results.map((result) => result.content[0]?.text)).toEqual(texts)
  })

  it('gets prompts', async () => {
    const params = { name: 'greeting', arguments: { language: 'danish', name: 'Ann' } }
    expect(await peer.request('prompts/get', params)).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ann in danish.' } }],
    })
    await expect(peer.request('prompts/get', { name: 'greeting' })).rejects.toMatchObject({ code: -32602 })
  })

  it('reads resources', async () => {
    const read = async (uri: string) =>
      ((await peer.request('resources/read', { uri })).contents as Record<string, string>[])[0]
    expect(await read('test://text/3')).toMatchObject({ text: 'text 3', mimeType: 'text/plain' })
    expect(await read('test://pixel')).toMatchObject({ blob: expect.stringMatching(/^iVBOR/) })
    expect(await read('test://city/France/Aix-en-Provence')).toMatchObject({
      text: 'Aix-en-Provence is in France',
    })
    // Client 2.4 reads the code of older revisions as the newer one.
    const code = name === '1.32' ? -32002 : -32602
    await expect(read('test://nothing')).rejects.toMatchObject({ code, data: { uri: 'test://nothing' } })
  })

  it('completes arguments', async () => {
    const complete = async (ref: object, argument: object) =>
      (await peer.request('completion/complete', { ref, argument })).completion
    expect(
      await complete({ type: 'ref/prompt', name: 'greeting' }, { name: 'language', value: 'd' }),
    ).toEqual({
      values: ['danish', 'dutch'],
      total: 2,
      hasMore: false,
    })
    const city = { type: 'ref/resource', uri: 'test://city/{country}/{name}' }
    expect(await complete(city, { name: 'name', value: 'Pa' })).toMatchObject({ values: ['Paris', 'Pau'] })
  })

  it('gets log messages of the level it wants', async () => {
    await peer.setLogLevel('warning')
    await peer.call('speak')
    await expect.poll(() => peer.logs).toHaveLength(1)
    expect(peer.logs[0]).toMatchObject({ level: 'warning', logger: 'speaker', data: { text: 'loud' } })
    await peer.setLogLevel('debug')
    await peer.call('speak')
    await expect.poll(() => peer.logs.map(({ level }) => level)).toEqual(['warning', 'debug', 'warning'])
  })

  it('hears of progress, in order, before the result', async () => {
    const seen: unknown[] = []
    const counting = peer.call('count', { to: 5 }, { onprogress: (progress) => seen.push(progress) })
    await expect.poll(() => seen).toHaveLength(5)
    expect(seen).toEqual(
      [1, 2, 3, 4, 5].map((progress) => ({ progress, total: 5, message: `step ${progress}` })),
    )
    await peer.call('finish_counting')
    expect((await counting).content[0]?.text).toBe('counted to 5')
  })

  it('cancels a call', async () => {
    const before = Number((await peer.call('cancellations')).content[0]?.text)
    const controller = new AbortController()
    const call = peer.call('wait', {}, { signal: controller.signal })
    const rejected = expect(call).rejects.toThrow()
    await peer.call('echo', { text: 'the call above has arrived' })
    controller.abort('enough')
    await rejected
    const after = async () => Number((await peer.call('cancellations')).content[0]?.text)
    await expect.poll(after).toBe(before + 1)
  })

  it('answers questions', async () => {
    expect((await peer.call('ask')).content[0]?.text).toBe('Ada, 36')
    peer.answer = () => ({ action: 'decline' })
    expect(await peer.call('ask')).toMatchObject({ isError: true })
    peer.answer = ({ message }) =>
      message === 'First?'
        ? { action: 'accept', content: { choice: 'coffee' } }
        : { action: 'accept', content: {} }
    expect((await peer.call('ask_twice')).content[0]?.text).toBe('coffee')
    const first = peer.questions.find(({ params }) => params.message === 'First?')
    expect(first?.params.requestedSchema).toMatchObject({
      properties: { choice: { type: 'string', enum: ['tea', 'coffee'] } },
    })
  })

  it('is sent to a page', async () => {
    peer.answer = () => ({ action: 'accept' })
    expect((await peer.call('visit')).content[0]?.text).toBe('visited')
    expect(peer.questions.at(-1)?.params).toMatchObject({ mode: 'url', url: 'https://example.com/sign-in' })
  })

  it('lends its model and its roots', async () => {
    expect(CAPABILITIES).toHaveProperty('sampling')
    expect((await peer.call('sample')).content[0]?.text).toBe('test-model: Paris')
    expect((await peer.call('roots')).content[0]?.text).toBe('file:///home/ann file:///tmp')
  })

  it('hears of the resources it subscribed to, and of no others', async () => {
    await peer.subscribe('test://text/1')
    await peer.call('touch', { uri: 'test://text/2' })
    await peer.call('touch', { uri: 'test://text/1' })
    await expect.poll(() => peer.updated).toEqual(['test://text/1'])
    await peer.unsubscribe('test://text/1')
    await peer.call('touch', { uri: 'test://text/1' })
    await peer.subscribe('test://text/2')
    await peer.call('touch', { uri: 'test://text/2' })
    await expect.poll(() => peer.updated).toEqual(['test://text/1', 'test://text/2'])
  })

  it('hears of changed lists', async () => {
    await peer.hearChanges()
    for (const what of ['tool', 'prompt', 'resource']) await peer.call('grow', { what })
    await expect.poll(() => [...new Set(peer.changed)].sort()).toEqual(['prompts', 'resources', 'tools'])
  })
})
