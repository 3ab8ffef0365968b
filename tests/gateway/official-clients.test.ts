import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../interop/fixtures/everything-app.mjs'
import { openOfficial1 } from '../interop/support/official-1.ts'
import { openOfficial2 } from '../interop/support/official-2.ts'
import type { OfficialPeer, Target } from '../interop/support/official-peer.ts'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { ASKING_SERVER, testGateway, type TestGateway } from '../support/start-gateway.ts'

const SERVER = fileURLToPath(new URL('../interop/fixtures/everything-server.mjs', import.meta.url))
const LEGACY = '2025-06-18,2025-11-25'
const MODERN = '2026-07-28'

const CLIENTS: [string, (target: Target) => Promise<OfficialPeer>][] = [
  ['1.32', openOfficial1],
  ['2.4 legacy', (target) => openOfficial2(target, 'legacy')],
  ['2.4 modern', (target) => openOfficial2(target, { pin: MODERN })],
]
const CELLS = CLIENTS.flatMap(([name, open]) =>
  (['stdio', 'http'] as const).flatMap((transport) =>
    [LEGACY, MODERN].map((revisions) => [name, revisions, transport, open] as const),
  ),
)

describe.each(CELLS)('the official client %s and a %s server over %s', (_, revisions, transport, open) => {
  let web: HttpTarget | undefined
  let gateway: TestGateway
  let peer: OfficialPeer
  beforeAll(async () => {
    const command = { command: process.execPath, args: [SERVER], env: { REVISIONS: revisions } }
    if (transport === 'http') web = await serveHttp(createApp({ revisions: revisions.split(',') }))
    gateway = await testGateway({
      mcpServers: {
        e: web ? { url: web.url } : command,
        other: { command: process.execPath, args: [ASKING_SERVER] },
      },
    })
    peer = await open({ kind: 'http', url: gateway.endpoint })
  })
  afterAll(async () => {
    await peer?.close()
    await gateway?.close()
    await web?.close()
  })
  const textOf = async (name: string, args = {}) => (await peer.call(name, args)).content[0]?.text

  it('knows the gateway, and what each server says of itself', () => {
    expect(peer.serverInfo).toMatchObject({ name: 'gantry' })
    expect(peer.instructions).toBe('## e\nTry it all.')
  })

  it('gets results, prompts and resources, with URIs that it can use', async () => {
    expect(await peer.call('e_add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } })
    expect(await peer.call('e_fail')).toMatchObject({ isError: true, content: [{ text: 'No luck today' }] })
    const links = [
      { type: 'resource_link', uri: 'e+test://text/1' },
      { type: 'resource', resource: { uri: 'e+test://text/2', text: 'text 2' } },
    ]
    expect((await peer.call('e_links')).content).toMatchObject(links)
    const { messages } = await peer.request('prompts/get', { name: 'e_linked' })
    expect(messages).toMatchObject(links.map((content) => ({ content })))
    const { contents } = await peer.request('resources/read', { uri: 'e+test://city/France/Pau' })
    expect(contents).toMatchObject([{ uri: 'e+test://city/France/Pau', text: 'Pau is in France' }])
    const ref = { type: 'ref/resource', uri: 'e+test://city/{country}/{name}' }
    const argument = { name: 'name', value: 'Pa' }
    const { completion } = await peer.request('completion/complete', { ref, argument })
    expect(completion).toMatchObject({ values: ['Paris', 'Pau'] })
  })

  it('gets log messages of the level it wants', async () => {
    await peer.setLogLevel('warning')
    await peer.call('e_speak')
    await expect.poll(() => peer.logs).toHaveLength(1)
    expect(peer.logs[0]).toMatchObject({ level: 'warning', data: { text: 'loud' } })
    await peer.setLogLevel('debug')
    await peer.call('e_speak')
    await expect.poll(() => peer.logs.map(({ level }) => level)).toEqual(['warning', 'debug', 'warning'])
  })

  it('hears of progress while the call runs', async () => {
    const seen: number[] = []
    const onprogress = ({ progress }: { progress: number }): unknown => seen.push(progress)
    const counting = peer.call('e_count', { to: 3 }, { onprogress })
    await expect.poll(() => seen).toEqual([1, 2, 3])
    await peer.call('e_finish_counting')
    expect((await counting).content[0]?.text).toBe('counted to 3')
  })

  it('cancels a call, and no other', async () => {
    const controller = new AbortController()
    const staying = peer.call('e_count', { to: 1 })
    const rejected = expect(peer.call('e_wait', {}, { signal: controller.signal })).rejects.toThrow()
    const isRunning = (name: string) =>
      [...gateway.gateway.exchanges.running].some((one) => one.name === name)
    await expect.poll(() => isRunning('e_wait') && isRunning('e_count')).toBe(true)
    await peer.call('e_echo', { text: 'the calls above have arrived' })
    controller.abort('enough')
    await rejected
    await expect.poll(() => textOf('e_cancellations')).toBe('1')
    await peer.call('e_finish_counting')
    expect((await staying).content[0]?.text).toBe('counted to 1')
  })

  it('answers questions, is sent to a page, and lends its model and its roots', async () => {
    expect(await textOf('e_ask')).toBe('Ada, 36')
    peer.answer = () => ({ action: 'accept' })
    expect(await textOf('e_visit')).toBe('visited')
    expect(peer.questions.at(-1)?.params).toMatchObject({ mode: 'url', url: 'https://example.com/sign-in' })
    expect(await textOf('e_sample')).toBe('test-model: Paris')
    expect(await textOf('e_roots')).toBe('file:///home/ann file:///tmp')
  })

  it('hears of the resources it subscribed to, until it does not want to any more', async () => {
    await peer.subscribe('e+test://text/1')
    await peer.call('e_touch', { uri: 'test://text/2' })
    await peer.call('e_touch', { uri: 'test://text/1' })
    await expect.poll(() => peer.updated).toEqual(['e+test://text/1'])
    await peer.unsubscribe('e+test://text/1')
    await peer.call('e_touch', { uri: 'test://text/1' })
    await peer.subscribe('e+test://text/2')
    await peer.call('e_touch', { uri: 'test://text/2' })
    await expect.poll(() => peer.updated).toEqual(['e+test://text/1', 'e+test://text/2'])
  })

  it('hears of changed lists', async () => {
    await peer.hearChanges()
    for (const what of ['tool', 'prompt', 'resource']) await peer.call('e_grow', { what })
    await expect.poll(() => [...new Set(peer.changed)].sort()).toEqual(['prompts', 'resources', 'tools'])
  })
})
