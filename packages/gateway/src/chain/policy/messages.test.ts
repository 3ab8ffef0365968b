import { expect, it } from 'vitest'
import type { AuthInfo, JsonObject } from '@gantry/mcp/exchange'
import { vaultServer } from '../vault-server.test.support.ts'
import { chainBench, liveExchange } from '../chain.test.support.ts'

const MESSAGE = 'Ask the guard.'
const ann = { principal: { kind: 'key', subject: 'ann' }, scopes: [], claims: {} } as unknown as AuthInfo

async function refusals(
  policy: JsonObject,
): Promise<(method: string, params?: JsonObject) => Promise<unknown>> {
  const { gateway } = await chainBench({ vault: vaultServer().app }, { policy } as never)
  return async (method, params = {}) => {
    const outcome = await gateway.endpoint()!.respond(liveExchange(method, params, { auth: ann }))
    return outcome.type === 'error' ? [outcome.error.code, outcome.error.message] : outcome.type
  }
}

const REQUESTS: [string, JsonObject][] = [
  ['tools/call', { name: 'vault_closed', arguments: {} }],
  ['resources/read', { uri: 'vault+doc://closed/a' }],
  ['prompts/get', { name: 'vault_closed' }],
  ['vendor/closed', {}],
  ['vendor/closed', { uri: 'vault+doc://open/readme' }],
  ['vendor/nothing', {}],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'vault_closed' }, argument: { name: 'a', value: '' } },
  ],
  [
    'completion/complete',
    {
      ref: { type: 'ref/resource', uri: 'vault+doc://closed/{page}' },
      argument: { name: 'page', value: '' },
    },
  ],
]

it.each([
  ['a rule about the target', { deny: ['vault/*'], message: MESSAGE }],
  [
    'rules about each kind',
    {
      deny: ['tools:vault/*', 'prompts:vault/*', 'resources:vault/*', 'methods:vault/*'],
      message: MESSAGE,
    },
  ],
])('the message of %s is told for everything that it denies', async (_what, rule) => {
  const refusal = await refusals({ rules: [rule] })
  for (const [method, params] of REQUESTS) {
    expect([method, await refusal(method, params)]).toEqual([method, [-32600, MESSAGE]])
  }
})

it('tells why a method is not allowed now', async () => {
  const refusal = await refusals({
    default: 'deny',
    rules: [{ allow: ['methods:vault/vendor/*'], when: 'client.name == "guard"', message: MESSAGE }],
  })
  await expect(refusal('vendor/closed')).resolves.toEqual([-32600, MESSAGE])
})

it('tells nothing of what no rule with a message denies', async () => {
  const refusal = await refusals({ rules: [{ deny: ['methods:vault/vendor/closed'], message: MESSAGE }] })
  expect(await refusal('vendor/closed')).toEqual([-32600, MESSAGE])
  expect(await refusal('other/closed')).toEqual([-32601, 'Method not found: other/closed'])
})

it('says beside the message that a condition could not be decided', async () => {
  const refusal = await refusals({
    rules: [{ deny: ['tools:vault/open'], when: 'args.amount > 500', message: MESSAGE }],
  })
  const call = (args: JsonObject) => refusal('tools/call', { name: 'vault_open', arguments: args })
  await expect(call({ amount: 900 })).resolves.toEqual([-32600, MESSAGE])
  const undecided = [-32600, expect.stringMatching(/^Ask the guard\. \(That could not be decided/)]
  await expect(call({})).resolves.toEqual(undecided)
  await expect(call({ amount: '900' })).resolves.toEqual(undecided)
})
