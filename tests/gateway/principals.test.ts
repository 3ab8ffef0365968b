import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Server, tool } from '@gantry/mcp/server'
import { IssuerWorld } from '../../packages/mcp/src/auth/guard/fixtures/issuer-world.test.node.ts'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const AUDIENCE = 'http://127.0.0.1:7332/mcp'
const KEY = 'k'.repeat(32)
const OBJECTS = ['byKey', 'byText', 'byWildcard', 'byIssuer', 'byWorkload', 'byStranger']

const app = new Server({
  name: 'one',
  tools: Object.fromEntries(OBJECTS.map((name) => [name, tool({ run: () => 'done' })])),
})

let world: IssuerWorld
let gateway: TestGateway

beforeAll(async () => {
  world = await new IssuerWorld().start()
  const { issuer } = world
  const allow = (name: string, who: object) => ({ who, allow: [`one/${name}`] })
  gateway = await testGateway(
    {
      mcpServers: { one: { module: 'one' } },
      auth: { apiKeys: [{ name: 'ops', key: KEY }], bearer: { issuer, audience: AUDIENCE } },
      policy: {
        default: 'deny',
        rules: [
          allow('byKey', { apiKeys: ['ops'] }),
          allow('byText', { principals: ['ops'] }),
          allow('byWildcard', { principals: ['*ops'] }),
          allow('byIssuer', { principals: [{ issuer, subject: 'key:ops' }] }),
          allow('byWorkload', { principals: [{ kind: 'workload', subject: 'ops' }] }),
          allow('byStranger', { principals: [{ issuer: 'https://other.example.com', subject: '*' }] }),
        ],
      },
    },
    { embedded: new Map([['one', app]]) },
  )
})

afterAll(async () => {
  await gateway.close()
  await world.stop()
})

/** What the caller of this credential is allowed, by the list and by calling everything. */
async function allowed(credential: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${credential}` }
  const listed = await modernRequest(gateway.endpoint, 'tools/list', {}, { headers })
  // At once: calls of what is not there wait for one look at the target's lists together.
  const answers = await Promise.all(
    OBJECTS.map((name) =>
      modernRequest(gateway.endpoint, 'tools/call', { name: `one_${name}`, arguments: {} }, { headers }),
    ),
  )
  const called = OBJECTS.filter((_, at) => answers[at]!.message.result)
  expect(listed.message.result.tools.map((one: { name: string }) => one.name.slice('one_'.length))).toEqual(
    called,
  )
  return called
}

const tokenOf = (claims: object): Promise<string> => world.token({ aud: AUDIENCE, ...claims })

describe('rules are about kind, issuer and subject', () => {
  it('a key is no person', async () => {
    expect(await allowed(KEY)).toEqual(['byKey'])
  })

  it('a person is no key and no program, however they are called', async () => {
    expect(await allowed(await tokenOf({ sub: 'ops' }))).toEqual(['byText', 'byWildcard'])
    expect(await allowed(await tokenOf({ sub: 'key:ops' }))).toEqual(['byWildcard', 'byIssuer'])
    expect(await allowed(await tokenOf({ sub: `${world.issuer} ops` }))).toEqual(['byWildcard'])
  })

  it('a program is no person', async () => {
    expect(await allowed(await tokenOf({ sub: undefined, client_id: 'ops' }))).toEqual(['byWorkload'])
    expect(await allowed(await tokenOf({ sub: 'ops', client_id: 'ops' }))).toEqual(['byWorkload'])
  })
})

it('`why` asks for the same caller', async () => {
  const verdictFor = async (as: string, issuer?: string): Promise<string> => {
    const query = { name: 'one_byText', as, ...(issuer !== undefined && { issuer }) }
    const { chain } = await gateway.api.call('why', { query })
    return chain.find(({ code }) => code === 'allowed' || code === 'denied')!.code
  }
  expect(await verdictFor('person:ops')).toBe('allowed')
  expect(await verdictFor('person:ops', 'https://other.example.com')).toBe('denied')
  expect(await verdictFor('key:ops')).toBe('denied')
  expect(await verdictFor('workload:ops')).toBe('denied')
  await expect(verdictFor('ops')).rejects.toThrow('names no caller')
})
