import { describe, expect, it } from 'vitest'
import { SubscriptionMeter, type PlainExchange, type Notification } from '@gantry/mcp/exchange'
import { vaultServer } from '../vault-server.test.support.ts'
import { chainBench } from '../chain.test.support.ts'
import { ListChanges } from './list-changes.ts'
import { listen } from './listen.ts'

const vault = vaultServer()
const bench = await chainBench(
  { vault: vault.app },
  { policy: { rules: [{ deny: ['tools:vault/closed', 'resources:vault/doc://closed/*'] }] } },
)
const changes = new ListChanges()
const subscriptions = new SubscriptionMeter({ perCaller: 4, total: 4, perRequest: 4 })

function listening(notifications: object) {
  const heard: Notification[] = []
  const exchange = bench.exchange(
    'subscriptions/listen',
    { notifications },
    { notify: (one) => heard.push(one) },
  )
  const ended = listen(exchange, { ...bench, changes, subscriptions })
  return { heard, ended, stop: () => (exchange.origin as PlainExchange).abort() }
}

describe('listening', () => {
  it('is granted for what the caller may see, and tells of that alone', async () => {
    const uris = ['vault+doc://open/readme', 'vault+doc://closed/readme']
    const { heard, ended, stop } = listening({ toolsListChanged: true, resourceSubscriptions: uris })
    await expect
      .poll(() => heard)
      .toMatchObject([
        {
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: { toolsListChanged: true, resourceSubscriptions: uris.slice(0, 1) } },
        },
      ])
    vault.app.notifyResourceUpdated('doc://closed/readme')
    vault.app.notifyResourceUpdated('doc://open/readme')
    await expect.poll(() => heard.length).toBe(2)
    expect(heard[1]).toMatchObject({ params: { uri: uris[0] } })
    const entries = bench.catalog.merged.tools
    const visibleTo = () => bench.exchange('x').visible
    changes.announce(new Map([['tools', [entries.get('vault_closed')!]]]), visibleTo)
    expect(heard.length).toBe(2)
    changes.announce(new Map([['tools', [entries.get('vault_open')!]]]), visibleTo)
    expect(heard[2]).toEqual({ method: 'notifications/tools/list_changed' })
    stop()
    await ended
    expect(changes.size).toBe(0)
  })

  it('is refused for load beyond its limit, until others have ended', async () => {
    const open = [1, 2, 3, 4].map(() => listening({}))
    expect(() => listening({})).toThrow(expect.objectContaining({ status: 429 }))
    for (const { stop } of open) stop()
    await Promise.all(open.map(({ ended }) => ended))
    const again = listening({})
    again.stop()
    await again.ended
  })

  it('needs a filter', async () => {
    await expect(listening(7 as unknown as object).ended).rejects.toMatchObject({ code: -32602 })
  })
})
