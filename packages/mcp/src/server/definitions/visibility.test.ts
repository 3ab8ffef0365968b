import { describe, expect, it } from 'vitest'
import { everywhere } from '../../testing/fixtures/both-eras.test.support.ts'
import { RawPeer, until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { Server, tool } from '../index.ts'

describe('what a caller may see', () => {
  it('`when` and `scopes` hide and refuse, list filters hide, and lists of others are not shared', async () => {
    const app = new Server({
      name: 's',
      tools: {
        open: tool({ run: () => 'open' }),
        scoped: tool({ scopes: ['admin'], run: () => 'scoped' }),
        secret: tool({ when: ({ serverContext }) => serverContext === 'friend', run: () => 'secret' }),
        beta: tool({ run: () => 'beta' }),
      },
      listFilter: (kind, name, { serverContext }) =>
        kind !== 'tool' || name !== 'beta' || serverContext === 'tester',
    })
    const names = async (peer: RawPeer): Promise<string[]> => {
      const answer = (await peer.modern('tools/list')) as { result: { tools: { name: string }[] } }
      return answer.result.tools.map(({ name }) => name)
    }
    const admin = new RawPeer(app, {
      auth: { principal: { kind: 'person', subject: 'a' }, scopes: ['admin'], claims: {} },
    })
    const friend = new RawPeer(app, { serverContext: 'friend' })
    const tester = new RawPeer(app, { serverContext: 'tester' })
    const stranger = new RawPeer(app)
    expect(await names(tester)).toEqual(['open', 'beta'])
    expect(await stranger.modern('tools/call', { name: 'beta' })).toHaveProperty('result')
    expect(await names(admin)).toEqual(['open', 'scoped'])
    expect(await names(friend)).toEqual(['open', 'secret'])
    expect(await names(stranger)).toEqual(['open'])
    expect(await stranger.modern('tools/call', { name: 'secret' })).toMatchObject({
      error: { code: -32602, message: 'Unknown tool: secret' },
    })
    expect(await friend.modern('tools/call', { name: 'secret' })).toHaveProperty('result')
  })

  it('a `when` that returns a promise by mistake shows nothing', async () => {
    const when = (async () => false) as unknown as () => boolean
    const peer = new RawPeer(new Server({ name: 's', tools: { a: tool({ when, run: () => 'shown' }) } }))
    expect(await peer.modern('tools/list')).toMatchObject({ error: { code: -32603 } })
    expect(await peer.modern('tools/call', { name: 'a' })).toMatchObject({ error: { code: -32603 } })
  })

  it('middleware may change a list that was served from the cache', async () => {
    const app = new Server({ name: 's', tools: { a: tool({ run: () => '' }), b: tool({ run: () => '' }) } })
    app.use(async (exchange, next) => {
      const outcome = await next()
      if (exchange.method !== 'tools/list' || outcome.type !== 'complete') return outcome
      const tools = (outcome.result.tools as { name: string }[]).filter(({ name }) => name === 'b')
      return { ...outcome, result: { ...outcome.result, tools } }
    })
    await everywhere(app, async ({ client }) => {
      expect((await client.listTools().all()).map(({ name }) => name)).toEqual(['b'])
    })
  })

  it('enable, disable and update change the list and announce it', async () => {
    const app = new Server({ name: 's' })
    const handle = app.tool('a', { description: 'one', run: () => 'one' }).tool('a')
    const peer = new RawPeer(app)
    await peer.handshake()
    handle.disable()
    expect(await peer.request('tools/list')).toMatchObject({ result: { tools: [] } })
    expect(await peer.request('tools/call', { name: 'a' })).toMatchObject({ error: { code: -32602 } })
    handle.enable()
    handle.update({ description: 'two' })
    expect(await peer.request('tools/list')).toMatchObject({ result: { tools: [{ description: 'two' }] } })
    await until(() => peer.heardOf('notifications/tools/list_changed').length === 2)
  })
})
