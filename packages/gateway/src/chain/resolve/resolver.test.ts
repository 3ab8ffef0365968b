import { describe, expect, it } from 'vitest'
import { complete, failure, ProtocolError, type Notification, type Outcome } from '@gantry/mcp/exchange'
import { vaultServer } from '../vault-server.test.support.ts'
import { answering, chainBench } from '../chain.test.support.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { resolveLink } from './resolver.ts'

const bench = await chainBench({ vault: vaultServer().app })
const link = resolveLink(bench.resolver)

/** What a link behind this one sees, and what comes back in front of it. */
async function passed(method: string, params: Record<string, unknown>, outcome: Outcome = complete({})) {
  const exchange = bench.exchange(method, params)
  const answer = answering(outcome)
  const returned = await link(exchange, answer.next)
  expect(answer.calls).toBe(1)
  return { exchange, returned }
}

describe('a request', () => {
  it.each([
    ['tools/call', { name: 'vault_open', arguments: {} }, 'tools', 'open', { name: 'open', arguments: {} }],
    ['prompts/get', { name: 'vault_open' }, 'prompts', 'open', { name: 'open' }],
    [
      'resources/read',
      { uri: 'vault+doc://open/readme' },
      'resources',
      'doc://open/readme',
      { uri: 'doc://open/readme' },
    ],
    ['skills/get', { uri: 'vault+skill://open/SKILL.md' }, 'resources', 'skill://open/SKILL.md', {}],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'vault_open' }, argument: { name: 'of', value: '' } },
      'prompts',
      'open',
      { ref: { name: 'open' } },
    ],
    ['vendor/open', {}, 'methods', 'vendor/open', {}],
  ])(
    'of %s is resolved to what it is about, under the own names of the target',
    async (method, params, kind, name, own) => {
      const { exchange } = await passed(method, params)
      expect(exchange.resolved).toMatchObject({ kind, name })
      expect(exchange.resolved!.target.name).toBe('vault')
      expect(exchange.params).toMatchObject(own)
      expect(exchange.origin.params).toEqual(params)
    },
  )

  it('for a directory is refused when a rule denies what is in it', async () => {
    const rules = [{ deny: ['resources:vault/*'], when: 'uri.startsWith("doc://open/secret/")' }]
    const denying = await chainBench({ vault: vaultServer().app }, { policy: { rules } })
    const read = async (name: string) => {
      const params = { uri: `vault+doc://open/${name}` }
      return denying.resolver.resolve(denying.exchange('resources/directory/read', params))
    }
    const message = 'Resource not found: vault+doc://open/secret'
    await expect(read('secret')).rejects.toMatchObject({ message })
    expect(await read('other')).toMatchObject({ name: 'doc://open/other' })
  })

  it('of a method that a rule denies is refused, whatever the links behind think of it', async () => {
    const rules = [{ allow: ['methods:vault/vendor/*'], deny: ['methods:vault/vendor/closed'] }]
    const denying = await chainBench({ vault: vaultServer().app }, { policy: { rules } })
    const asked = async (method: string) => denying.resolver.resolve(denying.exchange(method, {}))
    const refused = { code: -32601, message: 'Method not found: vendor/closed' }
    await expect(asked('vendor/closed')).rejects.toMatchObject(refused)
    expect(await asked('vendor/open')).toMatchObject({ name: 'vendor/open' })
  })

  it('knows the definition of the tool that it calls', async () => {
    const { exchange } = await passed('tools/call', { name: 'vault_open' })
    expect(exchange.resolved!.entry!.item).toMatchObject({ name: 'vault_open' })
  })

  it.each([
    ['tools/call', { name: 'vault_nothing' }, -32602, 'Unknown tool: vault_nothing'],
    ['prompts/get', { name: 'vault_nothing' }, -32602, 'Unknown prompt: vault_nothing'],
    ['tasks/list', {}, -32601, 'Method not found: tasks/list'],
    ['tools/call', {}, -32602, 'Invalid params: "name" must be a string'],
  ])('of %s %j for nothing is refused', async (method, params, code, message) => {
    const exchange = bench.exchange(method, params)
    const answer = answering()
    const refused = (async () => link(exchange, answer.next))()
    await expect(refused).rejects.toMatchObject({ code, message })
    expect(answer.calls).toBe(0)
  })

  it('is held against its headers once, when its tool is known', async () => {
    const seen: unknown[] = []
    const exchange = bench.exchange('tools/call', { name: 'vault_open' })
    Object.assign(exchange.origin, { checkHeaders: (parameters: unknown) => seen.push(parameters) })
    await link(exchange, answering().next)
    expect(seen).toEqual([[]])
  })
})

describe('an answer', () => {
  it('has the URIs that clients know', async () => {
    const link = { type: 'resource_link', uri: 'doc://open/readme', name: 'readme' }
    const { returned } = await passed('tools/call', { name: 'vault_open' }, complete({ content: [link] }))
    expect(returned).toMatchObject({ result: { content: [{ uri: 'vault+doc://open/readme' }] } })
  })

  it('that names nothing is passed on as it came', async () => {
    const outcome = complete({ content: [{ type: 'text', text: 'x' }] })
    expect((await passed('tools/call', { name: 'vault_open' }, outcome)).returned).toBe(outcome)
  })

  it.each([
    [-32002, 'whatever'],
    [-32603, 'No such file'],
    [-32602, 'Resource not found: doc://open/page'],
  ])('that says with %i that there is no such resource looks like a denial', async (code, message) => {
    const uri = 'vault+doc://open/gone'
    const { returned } = await passed('resources/read', { uri }, failure(new ProtocolError(code, message)))
    expect(returned).toMatchObject({
      error: { code: -32602, message: `Resource not found: ${uri}`, data: { uri } },
    })
  })

  it('that says that there is no such method looks like a denial', async () => {
    const outcome = failure(new ProtocolError(-32601, 'never heard of it'))
    const { returned } = await passed('vendor/other', {}, outcome)
    expect(returned).toMatchObject({ error: { message: 'Method not found: vendor/other' } })
  })

  it('is announced in the names that clients know', async () => {
    const said: Notification[] = []
    const exchange = bench.exchange(
      'tools/call',
      { name: 'vault_open' },
      { notify: (notification) => said.push(notification) },
    )
    await link(exchange, async (given: GatewayExchange = exchange) => {
      given.notify({ method: 'notifications/resources/updated', params: { uri: 'doc://open/readme' } })
      given.notify({ method: 'notifications/progress', params: { progress: 1 } })
      given.notify({ method: 'notifications/tasks', params: { taskId: 'unknown to the caller' } })
      return complete({})
    })
    expect(said).toEqual([
      { method: 'notifications/resources/updated', params: { uri: 'vault+doc://open/readme' } },
      { method: 'notifications/progress', params: { progress: 1 } },
    ])
  })
})
