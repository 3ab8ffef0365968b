import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openOfficial1 } from '../interop/support/official-1.ts'
import { openOfficial2 } from '../interop/support/official-2.ts'
import type { OfficialPeer } from '../interop/support/official-peer.ts'
import type { BalancerKind } from './balancers.ts'
import { startWorld, TARGETS, type ScaleWorld } from './world.ts'

/** `npm run scale` tries both balancers. */
const BALANCERS: BalancerKind[] = process.env.GANTRY_SCALE === 'full' ? ['nginx', 'haproxy'] : ['nginx']
const CLIENTS: [string, (url: string) => Promise<OfficialPeer>][] = [
  ['1.32', (url) => openOfficial1({ kind: 'http', url })],
  ['1.32 over HTTP+SSE', (url) => openOfficial1({ kind: 'sse', url })],
  ['2.4 legacy', (url) => openOfficial2({ kind: 'http', url }, 'legacy')],
  ['2.4 modern', (url) => openOfficial2({ kind: 'http', url }, { pin: '2026-07-28' })],
]
const CELLS = CLIENTS.flatMap(([name, open]) => TARGETS.map((target) => ({ name, open, target })))

describe.each(BALANCERS)('three gateways behind %s', (kind) => {
  let world: ScaleWorld
  beforeAll(async () => {
    world = await startWorld(kind)
  })
  afterAll(() => world?.close())

  describe.each(CELLS)('for the official client $name, to $target', ({ open, target }) => {
    let peer: OfficialPeer
    beforeAll(async () => {
      peer = await open(`${world.balancer.url}/mcp/${target}`)
    })
    afterAll(() => peer?.close())
    const text = async (...call: Parameters<OfficialPeer['call']>): Promise<string | undefined> =>
      (await peer.call(...call)).content[0]?.text

    it('calls and lists', async () => {
      const texts = Array.from({ length: 9 }, (_, at) => `call ${at}`)
      expect(await Promise.all(texts.map((one) => text('echo', { text: one })))).toEqual(texts)
      const { tools } = (await peer.request('tools/list', {})) as { tools: object[] }
      expect(tools.length).toBeGreaterThan(3)
    })

    it('answers questions in the middle of calls', async () => {
      for (let at = 0; at < 3; at++) {
        peer.answer = () => ({ action: 'accept', content: { name: `Ada ${at}`, age: at } })
        expect(await text('ask')).toBe(`Ada ${at}, ${at}`)
        peer.answer = ({ message }) =>
          message === 'First?'
            ? { action: 'accept', content: { choice: 'coffee' } }
            : { action: 'accept', content: {} }
        expect(await text('ask_twice')).toBe('coffee')
        expect(await text('sample')).toBe('test-model: Paris')
        expect(await text('roots')).toBe('file:///home/ann file:///tmp')
      }
    })

    it('hears of progress before the result', async () => {
      const seen: number[] = []
      const counting = text('count', { to: 5 }, { onprogress: ({ progress }) => seen.push(progress) })
      await expect.poll(() => seen).toEqual([1, 2, 3, 4, 5])
      await peer.call('finish_counting')
      expect(await counting).toBe('counted to 5')
    })

    it('cancels', async () => {
      for (let at = 0; at < 3; at++) {
        const before = Number(await text('cancellations'))
        const seen = new AbortController()
        const heard: number[] = []
        const onprogress = ({ progress }: { progress: number }) => heard.push(progress)
        const rejected = expect(peer.call('wait', {}, { signal: seen.signal, onprogress })).rejects.toThrow()
        // A cancellation on another connection must not overtake its call.
        await expect.poll(() => heard).toHaveLength(1)
        seen.abort('enough')
        await rejected
        await expect.poll(async () => Number(await text('cancellations'))).toBe(before + 1)
      }
    })

    it('hears of resources and of changed lists', async () => {
      await peer.subscribe('test://text/1')
      for (const uri of ['test://text/2', 'test://text/1']) await peer.call('touch', { uri })
      await expect.poll(() => peer.updated).toEqual(['test://text/1'])
      await peer.unsubscribe('test://text/1')
      await peer.hearChanges()
      for (const what of ['tool', 'prompt', 'resource']) await peer.call('grow', { what })
      await expect.poll(() => [...new Set(peer.changed)].sort()).toEqual(['prompts', 'resources', 'tools'])
    })
  })
})
