import { describe, expect, it } from 'vitest'
import { complete, type Notification, type Outcome } from '@gantry/mcp/exchange'
import { vaultServer } from '../vault-server.test.support.ts'
import { answering, chainBench, modelOf } from '../chain.test.support.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { createMemoryStore } from '../../store/index.ts'
import { PermittedCalls } from './permitted-calls.ts'
import { RuleCounts } from './rule-counts.ts'
import { policyLink } from './policy-link.ts'

const DENY = ['tools:vault/closed', 'resources:vault/doc://closed/*', 'methods:vault/vendor/closed']
const bench = await chainBench(
  { vault: vaultServer().app },
  { policy: { rules: [{ deny: DENY, allow: ['methods:vault/vendor/*'] }] } },
)
const services = {
  log: () => {},
  counts: new PermittedCalls(createMemoryStore()),
  rulings: new RuleCounts(),
}
const link = policyLink(bench.gateway.model, services)!
const [catalog] = bench.catalog.catalogs

/** An exchange that was resolved to this, whether the caller may see it or not. */
function resolved(
  method: string,
  kind: 'tools' | 'resources' | 'methods',
  name: string,
  params: Record<string, unknown> = {},
): GatewayExchange {
  const exchange = bench.exchange(method, params)
  const uris = bench.catalog.urisOf(catalog!)
  const { target } = catalog!
  exchange.resolve({ target, capabilities: {}, catalog: catalog!, kind, name, params, uris, safe: true })
  return exchange
}

describe('the link of policy', () => {
  it.each([
    ['there are no rules', {}, true],
    ['rules allow only what is allowed anyway', { policy: { rules: [{ allow: ['a/*'] }] } }, true],
    ['something is denied', { policy: { rules: [{ deny: ['a/x'] }] } }, false],
    ['nothing is allowed by default', { policy: { default: 'deny' } }, false],
    [
      'a target leaves resources out',
      { mcpServers: { a: { command: 'a', resources: { exclude: ['x:*'] } } } },
      false,
    ],
  ])('is there or not where %s', async (_where, config, isLeftOut) => {
    const model = await modelOf({ mcpServers: { a: { command: 'a' } }, ...config })
    expect(policyLink(model, services) === undefined).toBe(isLeftOut)
  })

  it.each([
    ['tools/call', 'tools', 'closed', { name: 'vault_closed' }, 'Unknown tool: vault_closed'],
    [
      'resources/read',
      'resources',
      'doc://closed/a',
      { uri: 'vault+doc://closed/a' },
      'Resource not found: vault+doc://closed/a',
    ],
    ['vendor/closed', 'methods', 'vendor/closed', {}, 'Method not found: vendor/closed'],
    [
      'completion/complete',
      'resources',
      'doc://closed/{page}',
      { ref: { type: 'ref/resource', uri: 'vault+doc://closed/{page}' } },
      'Resource not found: vault+doc://closed/{page}',
    ],
    ['tasks/get', 'tools', 'closed', { taskId: '7' }, 'Unknown task: 7'],
  ] as const)(
    'refuses %s like something that does not exist',
    async (method, kind, name, params, message) => {
      const answer = answering()
      const refused = (async () => link(resolved(method, kind, name, params), answer.next))()
      await expect(refused).rejects.toMatchObject({ message })
      expect(answer.calls).toBe(0)
    },
  )

  it('lets everything else pass', async () => {
    const answer = answering()
    await link(resolved('tools/call', 'tools', 'open'), answer.next)
    expect(answer.calls).toBe(1)
  })

  const both = [
    { uri: 'doc://open/a', text: 'a' },
    { uri: 'doc://closed/a', text: 'b' },
  ]

  it.each<[string, Record<string, unknown>, object]>([
    ['resources/read', { contents: both }, { contents: both.slice(0, 1) }],
    ['resources/directory/read', { resources: both }, { resources: both.slice(0, 1) }],
    ['skills/get', { skill: { resources: both } }, { skill: { resources: both.slice(0, 1) } }],
  ])('takes what is denied out of the answer to %s', async (method, result, left) => {
    const exchange = resolved(method, 'resources', 'doc://open/a')
    expect(await link(exchange, answering(complete(result)).next)).toEqual(
      complete(left as Record<string, unknown>),
    )
  })

  it('answers with nothing but denied resources like what does not exist', async () => {
    const exchange = resolved('resources/read', 'resources', 'doc://open/alias', {
      uri: 'vault+doc://open/alias',
    })
    const outcome = await link(exchange, answering(complete({ contents: both.slice(1) })).next)
    expect(outcome).toMatchObject({ error: { message: 'Resource not found: vault+doc://open/alias' } })
  })

  it('does not read the results of tools', async () => {
    const outcome: Outcome = {
      type: 'complete',
      get result(): never {
        throw new Error('was read')
      },
    }
    expect(await link(resolved('tools/call', 'tools', 'open'), answering(outcome).next)).toBe(outcome)
  })

  it('drops news of what the caller may not see', async () => {
    const said: Notification[] = []
    const exchange = resolved('tools/call', 'tools', 'open')
    Object.assign(exchange.origin, { notify: (notification: Notification) => said.push(notification) })
    await link(exchange, async () => {
      for (const { uri } of both) {
        exchange.notify({ method: 'notifications/resources/updated', params: { uri } })
      }
      return complete({})
    })
    expect(said.map(({ params }) => params?.uri)).toEqual(['doc://open/a'])
  })
})
