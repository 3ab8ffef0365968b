import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { rawTarget } from '../support/raw-target.ts'
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
})
