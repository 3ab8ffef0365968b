import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { listenRaw } from '../support/raw-client.ts'
import { rawTarget } from '../support/raw-target.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await testGateway({
    mcpServers: { slow: rawTarget({ subscribeDelay: 400 }), secret: rawTarget({ subscribeDelay: 1 }) },
    policy: { default: 'allow', rules: [{ deny: ['resources:secret/*'] }] },
  })
})
afterAll(() => gateway.close())

function connectModern(): Promise<Client> {
  return connect(gateway.endpoint, { name: 'test', version: '1', era: 'modern' })
}

describe('subscriptions through the gateway', () => {
  it.each(['legacy', 'modern'] as const)(
    'do not flood a %s client, and bring no more than it asked for',
    async (era) => {
      const web = await scriptedTarget({
        'resources/list': () => ({ resources: ['x://a', 'x://b'].map((uri) => ({ uri, name: uri })) }),
      })
      const own = await testGateway({ mcpServers: { web: { url: web.url } } })
      try {
        await using client = await connect(own.endpoint, { era })
        const updated: string[] = []
        client.on('resourceUpdated', ({ uri }) => updated.push(uri))
        await using _subscription = await client.subscribe('web+x://a')
        const update = (uri: string) => web.announce('notifications/resources/updated', { uri })
        const until = Date.now() + 1500
        while (Date.now() < until) {
          for (const uri of ['x://a', 'x://a/part', 'x://b', 'x://apart']) update(uri)
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
        update('x://a/last')
        await expect.poll(() => updated).toContain('web+x://a/last')
        expect(updated.length).toBeLessThan(20)
        expect(new Set(updated)).toEqual(new Set(['web+x://a', 'web+x://a/part', 'web+x://a/last']))
      } finally {
        await own.close()
        await web.close()
      }
    },
  )

  it('are acknowledged when the target has acknowledged, so that no later change is missed', async () => {
    await using client = await connectModern()
    const updated: string[] = []
    const heard = new Promise<void>((resolve) => {
      client.on('resourceUpdated', ({ uri }) => {
        updated.push(uri)
        resolve()
      })
    })
    await using _subscription = await client.subscribe('slow+raw://thing')
    await client.call('slow_touch', {})
    await heard
    expect(updated).toEqual(['slow+raw://thing'])
  })

  it.each([
    ['its target refuses', 'slow+raw://other'],
    ['nobody owns', 'nobody+raw://thing'],
    ['the policy hides', 'secret+raw://thing'],
  ])('are not granted for what %s', async (_why, uri) => {
    await using client = await connectModern()
    await expect(client.subscribe(uri)).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('are granted only for what is there, where the caller is denied something', async () => {
    const web = await scriptedTarget({
      'resources/list': () => ({ resources: ['x://a', 'x://b'].map((uri) => ({ uri, name: uri })) }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'x://t/{id}', name: 't' }] }),
    })
    const own = await testGateway({
      mcpServers: { web: { url: web.url } },
      policy: { rules: [{ deny: ['resources:web/x://b', 'resources:web/x://t/2'] }] },
    })
    const stop = new AbortController()
    try {
      const resourceSubscriptions = ['a', 'b', 'c', 't/1', 't/2'].map((name) => `web+x://${name}`)
      const heard: unknown[] = []
      const params = { notifications: { resourceSubscriptions } }
      const listening = listenRaw(own.endpoint, params, {}, stop.signal, (one) => heard.push(one))
      await expect.poll(() => heard.length).toBe(1)
      const granted = { resourceSubscriptions: ['web+x://a', 'web+x://t/1'] }
      expect(heard[0]).toMatchObject({ params: { notifications: granted } })
      const listens = web.calls.filter(({ method }) => method === 'subscriptions/listen')
      const asked = listens.flatMap(({ params }) => params.notifications.resourceSubscriptions ?? [])
      expect(new Set(asked)).toEqual(new Set(['x://a', 'x://t/1']))
      stop.abort()
      await listening
    } finally {
      stop.abort()
      await own.close()
      await web.close()
    }
  })
})
