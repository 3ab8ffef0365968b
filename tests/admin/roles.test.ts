import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES, type RouteName } from '../../packages/gateway/src/admin/contract.ts'
import { narrowed } from '../../packages/gateway/src/admin/http/roles.ts'
import { IssuerWorld } from '../../packages/mcp/src/auth/guard/fixtures/issuer-world.test.node.ts'
import { modernRequest } from '../support/raw-client.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

const AUDIENCE = 'https://mcp.example.com/mcp'
const KEY = 'a-key-of-an-operator-0123456789'
const RANKS = ['none', 'viewer', 'operator', 'admin']

let staff: IssuerWorld
let gateway: TestGateway
const tokens: Record<string, string> = {}

const configOf = (operators: string[]): Record<string, unknown> => ({
  mcpServers: {},
  auth: {
    bearer: { issuer: staff.issuer, audience: AUDIENCE },
    groups: 'roles',
    roles: { admin: ['platform'], operator: operators, viewer: ['staff'] },
    apiKeys: [{ name: 'ops', key: KEY, scopes: ['gantry:operator'] }],
  },
})

beforeAll(async () => {
  staff = await new IssuerWorld().start()
  gateway = await testGateway(configOf(['on-call']))
  const groups = { none: ['guests'], viewer: ['staff'], operator: ['staff', 'on-call'], admin: ['platform'] }
  for (const [role, roles] of Object.entries(groups)) {
    tokens[role] = await staff.token({ sub: role, aud: AUDIENCE, roles })
  }
})
afterAll(async () => {
  await gateway?.close()
  await staff?.stop()
})

async function ask(name: RouteName, token: string): Promise<number> {
  const { method, path } = ROUTES[name]
  const ended = new AbortController()
  const response = await fetch(gateway.url + path.replaceAll(/\{\w+\}/g, '1'), {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method !== 'GET' && method !== 'DELETE' && { body: '{}' }),
    signal: ended.signal,
  })
  await response.body?.cancel().catch(() => {})
  ended.abort()
  return response.status
}

describe('every route', () => {
  const names = Object.keys(ROUTES) as RouteName[]

  it.each(['none', 'viewer', 'operator', 'admin'])(
    'is open to the role %s as the table says',
    async (role) => {
      const wrong: string[] = []
      for (const name of names) {
        const needed = ROUTES[name].role === 'anyone' ? 'none' : ROUTES[name].role
        const isOpen = RANKS.indexOf(role) >= RANKS.indexOf(needed)
        const status = await ask(name, tokens[role]!)
        if ((status !== 403) !== isOpen) wrong.push(`${name}: ${status}`)
      }
      expect(wrong).toEqual([])
    },
  )

  it('that a viewer may use changes nothing and shows no bodies', () => {
    const open = names.filter((name) => ROUTES[name].role === 'viewer')
    const changing = open.filter((name) => ROUTES[name].method !== 'GET')
    // It reads with a body.
    expect(changing).toEqual(['seen'])
    for (const name of [
      'wireDetail',
      'wireExport',
      'playgroundCall',
      'stderr',
      'log',
      'audit',
      'waiting',
    ] as const) {
      expect(open).not.toContain(name)
    }
  })
})

it('paths that do not exist tell callers without a role nothing', async () => {
  const status = async (role: string) =>
    (await fetch(`${gateway.url}/api/nothing`, { headers: { authorization: `Bearer ${tokens[role]}` } }))
      .status
  expect([await status('none'), await status('viewer')]).toEqual([403, 404])
})

it('a session says which role it has, and a key has one by its scope', async () => {
  const roleOf = async (token: string) => {
    const response = await fetch(`${gateway.url}/api/session`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return ((await response.json()) as { role?: string }).role
  }
  expect([await roleOf(tokens.viewer!), await roleOf(KEY)]).toEqual(['viewer', 'operator'])
})

it('a viewer gets the topics of viewers, whatever is asked for', () => {
  const viewer = { principal: 'x', auth: undefined, role: 'viewer' as const }
  const topicsOf = (topics?: string) =>
    narrowed('events', topics === undefined ? {} : { topics }, viewer).topics
  expect(topicsOf('stderr,targets,log')).toBe('targets')
  expect(topicsOf('stderr')).toBe('stats')
  expect(topicsOf()).toBe('targets,catalog,exchanges,clients,config,stats')
  expect(topicsOf('wire, targets')).toBe('exchanges,targets')
  expect(narrowed('events', { topics: 'stderr' }, { ...viewer, role: 'operator' }).topics).toBe('stderr')
})

it('a viewer who watches the wire sees exchanges, and no messages are kept for that', async () => {
  const { exchanges } = gateway.gateway
  const watched = async (role: string) => {
    const ended = new AbortController()
    const headers = { authorization: `Bearer ${tokens[role]}` }
    const response = await fetch(`${gateway.url}/api/events?topics=wire`, { headers, signal: ended.signal })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('event: hello')) text += (await reader.read()).value ?? ''
    const isWatched = exchanges.watched
    await modernRequest(`${gateway.url}/mcp`, 'tools/list', {}, { headers })
    while (!text.includes('event: wire')) text += (await reader.read()).value ?? ''
    ended.abort()
    await expect.poll(() => exchanges.watched).toBe(false)
    return [isWatched, exchanges.recent(1)[0]?.messages?.length]
  }
  expect(await watched('viewer')).toEqual([false, undefined])
  expect(await watched('operator')).toEqual([true, 2])
})

it('a stream ends when the role of its reader changes, and goes on for others', async () => {
  const own = await testGateway(configOf(['on-call']))
  try {
    const open = (role: string) =>
      fetch(`${own.url}/api/events`, { headers: { authorization: `Bearer ${tokens[role]}` } })
    const [operator, admin] = [await open('operator'), await open('admin')]
    expect([operator.status, admin.status]).toEqual([200, 200])
    const config = { ...configOf(['somebody-else']), stateDir: own.stateDir }
    await own.gateway.apply(await modelOf(config, own.bound.port))
    // What came before the change, and then its end.
    await expect(operator.text()).rejects.toThrow()
    const reader = admin.body!.getReader()
    expect((await reader.read()).done).toBe(false)
    await reader.cancel()
    const again = await open('operator')
    expect(again.status).toBe(200)
    await again.body!.cancel()
  } finally {
    await own.close()
  }
})
