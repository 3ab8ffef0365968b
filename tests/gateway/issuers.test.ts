import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IssuerWorld } from '../../packages/mcp/src/auth/guard/fixtures/issuer-world.test.node.ts'
import { configFromValue, type RawConfig } from '../../packages/gateway/src/config/index.ts'
import { modernRequest } from '../support/raw-client.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
let staff: IssuerWorld
let partners: IssuerWorld

beforeEach(async () => {
  staff = await new IssuerWorld().start()
  partners = await new IssuerWorld().start()
  closing.push(
    () => staff.stop(),
    () => partners.stop(),
  )
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const AUDIENCE = { staff: 'https://mcp.example.com/mcp', partners: 'https://partners.example.com/mcp' }

async function start(config: object = {}): Promise<TestGateway> {
  const target = await scriptedTarget({
    'tools/list': () => ({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] }),
  })
  closing.push(() => target.close())
  const bearer = [
    { issuer: staff.issuer, audience: AUDIENCE.staff },
    { issuer: partners.issuer, audience: AUDIENCE.partners },
  ]
  const gateway = await testGateway({
    mcpServers: { notes: { url: target.url } },
    auth: { bearer, groups: ['realm_access.roles', 'groups'] },
    ...config,
  })
  closing.push(() => gateway.close())
  return gateway
}

async function toolsFor(gateway: TestGateway, token: string): Promise<string[] | number> {
  const response = await modernRequest(
    gateway.endpoint,
    'tools/list',
    {},
    {
      headers: { authorization: `Bearer ${token}` },
    },
  )
  if (response.status !== 200) return response.status
  const { tools } = response.message.result as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

describe('several issuers', () => {
  it('each have their own tokens, keys and audience', async () => {
    const gateway = await start()
    const of = (world: IssuerWorld, aud: string, options?: object) => world.token({ aud }, options)
    expect(await toolsFor(gateway, await of(staff, AUDIENCE.staff))).toEqual(['notes_read'])
    expect(await toolsFor(gateway, await of(partners, AUDIENCE.partners))).toEqual(['notes_read'])
    // The audience of the other one, the key of the other one, and an issuer that nobody knows.
    expect(await toolsFor(gateway, await of(staff, AUDIENCE.partners))).toBe(401)
    expect(await toolsFor(gateway, await of(partners, AUDIENCE.staff))).toBe(401)
    const key = partners.keys.get('first')!
    expect(await toolsFor(gateway, await of(staff, AUDIENCE.staff, { key }))).toBe(401)
    expect(await toolsFor(gateway, await staff.token({ iss: 'https://evil.example' }))).toBe(401)
    for (const token of ['opaque', 'a.b.c', 'e30.e30.e30', 'a.W10.b']) {
      expect(await toolsFor(gateway, token)).toBe(401)
    }
  })

  it('are all named by the metadata', async () => {
    const gateway = await start()
    const response = await fetch(`${gateway.url}/.well-known/oauth-protected-resource/mcp`)
    expect(await response.json()).toMatchObject({
      authorization_servers: [staff.issuer, partners.issuer],
    })
  })

  it('may have people of the same subject, and rules tell them apart', async () => {
    const gateway = await start({
      policy: {
        default: 'deny',
        rules: [{ who: { principals: [{ issuer: staff.issuer, subject: 'alice' }] }, allow: ['notes/*'] }],
      },
    })
    expect(await toolsFor(gateway, await staff.token({ aud: AUDIENCE.staff }))).toEqual(['notes_read'])
    expect(await toolsFor(gateway, await partners.token({ aud: AUDIENCE.partners }))).toEqual([])
  })

  it('a subject that looks like a key is no key', async () => {
    const gateway = await start({
      auth: {
        bearer: { issuer: staff.issuer, audience: AUDIENCE.staff },
        apiKeys: [{ name: 'ops', key: 'a-key-that-is-long-enough' }],
      },
      policy: { default: 'deny', rules: [{ who: { apiKeys: ['ops'] }, allow: ['notes/*'] }] },
    })
    for (const sub of ['key:ops', 'ops', 'key:*']) {
      expect(await toolsFor(gateway, await staff.token({ aud: AUDIENCE.staff, sub }))).toEqual([])
    }
    expect(await toolsFor(gateway, 'a-key-that-is-long-enough')).toEqual(['notes_read'])
  })

  it('a clock that is a minute off is refused', async () => {
    const gateway = await start()
    const now = Math.floor(Date.now() / 1000)
    for (const claims of [{ nbf: now + 60 }, { exp: now - 60 }]) {
      expect(await toolsFor(gateway, await staff.token({ aud: AUDIENCE.staff, ...claims }))).toBe(401)
    }
  })

  it('one that is there twice is a mistake', async () => {
    const bearer = [AUDIENCE.staff, AUDIENCE.partners].map((audience) => ({ issuer: staff.issuer, audience }))
    const loaded = await configFromValue({ auth: { bearer } } as RawConfig)
    expect(loaded).toMatchObject({
      ok: false,
      problems: [{ code: 'duplicate-name', path: 'auth.bearer[1].issuer' }],
    })
  })
})

it('rules know groups from where the configuration says', async () => {
  const gateway = await start({
    policy: { default: 'deny', rules: [{ when: '"readers" in groups', allow: ['notes/*'] }] },
  })
  const token = (claims: object) => staff.token({ aud: AUDIENCE.staff, ...claims })
  expect(await toolsFor(gateway, await token({ realm_access: { roles: ['readers'] } }))).toEqual([
    'notes_read',
  ])
  expect(await toolsFor(gateway, await token({ groups: 'readers' }))).toEqual(['notes_read'])
  expect(await toolsFor(gateway, await token({ roles: ['readers'] }))).toEqual([])
})

it('an expression for groups that cannot be used is a mistake in the configuration', async () => {
  const loaded = await configFromValue({ auth: { groups: { expression: 'claims.roles.' } } } as RawConfig)
  expect(loaded).toMatchObject({ ok: false, problems: [{ path: 'auth.groups.expression' }] })
  const tested = await configFromValue({
    auth: { bearer: { issuer: staff.issuer, audience: 'x' }, groups: { expression: 'claims.roles' } },
    policy: {
      default: 'deny',
      rules: [{ when: '"readers" in groups', allow: ['notes/*'] }],
      tests: [
        { as: 'person:ann', claims: { roles: ['readers'] }, call: 'notes/read', expect: 'allow' },
        { as: 'person:ann', groups: ['readers'], call: 'notes/read', expect: 'allow' },
        { as: 'person:ann', claims: { groups: ['readers'] }, call: 'notes/read', expect: 'deny' },
      ],
    },
    mcpServers: { notes: { url: 'http://127.0.0.1:1' } },
  } as unknown as RawConfig)
  expect(tested).toMatchObject({ ok: true })
})
