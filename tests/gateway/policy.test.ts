import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, http, sse, type Client, type Connector } from '@gantry/mcp/client'
import { socket } from '@gantry/mcp/client/node'
import { serveSocket, type SocketServer } from '@gantry/mcp/server/node'
import { expectObjections } from '../../packages/mcp/src/testing/fixtures/objections.test.support.ts'
import { encodeHeaderValue } from '../../packages/mcp/src/protocol/encoding.ts'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'
import { vaultServer } from '../../packages/gateway/src/chain/vault-server.test.support.ts'

const POLICY = {
  rules: [
    {
      deny: [
        'tools:vault/closed',
        'prompts:vault/closed',
        'resources:vault/doc://closed/*',
        'resources:vault/skill://closed/*',
        'methods:vault/vendor/closed',
      ],
      allow: ['methods:vault/vendor/*', 'methods:vault/nothing/*'],
    },
  ],
}

/** The same with conditions that are true for what is closed. */
const CONDITION =
  'principal.kind == "anonymous" && (kind == "resource" ? uri.contains("closed") || uri.contains("readme") : tool.endsWith("closed"))'
const CONDITIONAL = {
  rules: [
    { deny: POLICY.rules[0]!.deny.filter((one) => !one.startsWith('resources:')), when: CONDITION },
    {
      deny: POLICY.rules[0]!.deny.filter((one) => one.startsWith('resources:')),
      when: 'view in ["", "vault"]',
    },
    { allow: POLICY.rules[0]!.allow, when: 'era in ["legacy", "modern"] && client.name != ""' },
  ],
}

const vault = vaultServer()
let gateway: TestGateway
let conditional: TestGateway
let folder: string
let pipe: SocketServer
beforeAll(async () => {
  gateway = await testGateway(
    {
      mcpServers: { vault: { module: 'vault' } },
      policy: POLICY,
      views: { hall: { use: ['vault/*', 'methods:vault/vendor/*'] } },
    },
    { embedded: new Map([['vault', vault.app]]) },
  )
  conditional = await testGateway(
    { mcpServers: { vault: { module: 'vault' } }, policy: CONDITIONAL },
    { embedded: new Map([['vault', vault.app]]) },
  )
  folder = await mkdtemp(join(tmpdir(), 'gantry-pipe-'))
  pipe = await serveSocket(gateway.gateway.endpoint()!, { path: join(folder, 'pipe') })
})
afterAll(async () => {
  await pipe.close()
  await gateway.close()
  await conditional.close()
  await rm(folder, { recursive: true })
})

interface Edge {
  readonly name: string
  readonly era: 'legacy' | 'modern'
  readonly connector: () => Connector
  /** What clients of this endpoint put in front of a tool's name and of a URI. */
  readonly tool: string
  readonly uri: string
}

const merged = { tool: 'vault_', uri: 'vault+' }
const alone = { tool: '', uri: '' }
const EDGES: Edge[] = (['legacy', 'modern'] as const).flatMap((era) => [
  { name: '/mcp', era, connector: () => http(gateway.endpoint), ...merged },
  { name: '/mcp/vault', era, connector: () => http(`${gateway.endpoint}/vault`), ...alone },
  { name: '/mcp/VIEW', era, connector: () => http(`${gateway.endpoint}/hall`), ...merged },
  // The framing of stdio.
  { name: 'a pipe', era, connector: () => socket({ path: join(folder, 'pipe') }), ...merged },
  { name: '/mcp by conditions', era, connector: () => http(conditional.endpoint), ...merged },
  {
    name: '/mcp/vault by conditions',
    era,
    connector: () => http(`${conditional.endpoint}/vault`),
    ...alone,
  },
])
// The transport of 2024-11-05 has no newer era.
EDGES.push(
  { name: '/sse', era: 'legacy', connector: () => sse(`${gateway.url}/sse`), ...merged },
  { name: '/sse by conditions', era: 'legacy', connector: () => sse(`${conditional.url}/sse`), ...merged },
)

interface Refusal {
  code: unknown
  message: string
  data?: unknown
}

/** How a request fails, with the names in it made alike. */
async function refusalOf(client: Client, method: string, params: object): Promise<Refusal> {
  try {
    const result = await client.request(method, params as Record<string, unknown>)
    throw new Error(`${method} ${JSON.stringify(params)} was answered: ${JSON.stringify(result)}`)
  } catch (error) {
    const { code, message, data } = error as Refusal
    return JSON.parse(JSON.stringify({ code, message, data }).replaceAll(/closed|nothing/g, 'NAME'))
  }
}

describe.each(EDGES)('what policy denies, at $name for a $era client,', ({ era, connector, tool, uri }) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(connector(), { era })
  })
  afterAll(() => client.close())

  const listed = async (method: string, params: object = {}): Promise<string> =>
    JSON.stringify(await client.request(method, params as Record<string, unknown>))

  it.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'skills/list'])(
    'is not in %s',
    async (method) => {
      const text = await listed(method)
      expect(text).toContain('open')
      expect(text).not.toContain('closed')
    },
  )

  it('is not in what it is told about the endpoint', () => {
    const { serverCapabilities, instructions } = client
    expect(JSON.stringify({ serverCapabilities, instructions })).not.toContain('closed')
  })

  const requests = (name: string): [string, object][] => [
    ['tools/call', { name: `${tool}${name}` }],
    ['prompts/get', { name: `${tool}${name}` }],
    ['resources/read', { uri: `${uri}doc://${name}/readme` }],
    ['resources/read', { uri: `${uri}doc://${name}/page` }],
    ['resources/read', { uri: `${uri}doc://${name}/of/x` }],
    ['skills/get', { uri: `${uri}skill://${name}/SKILL.md` }],
    ['resources/read', { uri: `${uri}skill://${name}/SKILL.md` }],
    ['resources/directory/read', { uri: `${uri}skill://${name}` }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: `${tool}${name}` }, argument: { name: 'of', value: '' } },
    ],
    [
      'completion/complete',
      {
        ref: { type: 'ref/resource', uri: `${uri}doc://${name}/{page}` },
        argument: { name: 'page', value: '' },
      },
    ],
    [`vendor/${name}`, {}],
    [`vendor/${name}`, { uri: [`${uri}doc://open/readme`] }],
  ]

  // All are asked at once: unknown names of one target wait for the same new lists.
  const ask = () =>
    Promise.allSettled(
      requests('closed').map(async ([method, params], at) => {
        const [otherMethod, other] = requests('nothing')[at]!
        return Promise.all([refusalOf(client, method, params), refusalOf(client, otherMethod, other)])
      }),
    )
  let refusals: ReturnType<typeof ask> | undefined

  it.each(requests('closed').map(([method, params], at) => ({ method, params, at })))(
    'is refused like what does not exist: $method $params',
    async ({ at }) => {
      refusals ??= ask()
      const outcome = (await refusals)[at]!
      if (outcome.status === 'rejected') throw outcome.reason
      const [denied, missing] = outcome.value
      expect(denied).toEqual(missing)
      expect(vault.seen.join()).not.toContain('closed')
    },
  )

  it.each(requests('open').map(([method, params]) => ({ method, params })))(
    'keeps nothing else from working: $method $params',
    async ({ method, params }) => {
      expect(await listed(method, params)).toMatch(/open|page/)
    },
  )

  it('is not suggested', async () => {
    const params = {
      ref: { type: 'ref/resource', uri: `${uri}doc://{section}/of/{page}` },
      argument: { name: 'section', value: '' },
    }
    expect(await client.request('completion/complete', params)).toMatchObject({
      completion: { values: ['open'] },
    })
  })

  it('cannot be subscribed to', async () => {
    const updated: string[] = []
    client.on('resourceUpdated', ({ uri: changed }) => updated.push(changed))
    await using _open = await client.subscribe(`${uri}doc://open/readme`)
    const outcomes = await Promise.allSettled(
      ['closed', 'nothing'].map((name) => client.subscribe(`${uri}doc://${name}/readme`)),
    )
    const [denied, missing] = outcomes.map((one) => [
      one.status,
      String((one as PromiseRejectedResult).reason),
    ])
    expect(denied!.join().replaceAll('closed', 'NAME')).toBe(missing!.join().replaceAll('nothing', 'NAME'))
    vault.app.notifyResourceUpdated('doc://closed/readme')
    vault.app.notifyResourceUpdated('doc://open/readme')
    await expect.poll(() => updated).toContain(`${uri}doc://open/readme`)
    expect(updated.join()).not.toContain('closed')
  })

  it.each([
    'doc://closed/./readme',
    'doc://closed/x/../readme',
    'doc://open/../closed/readme',
    'doc://open/%2e%2e/closed/readme',
    'doc://open/..%2Fclosed/readme',
    'doc://%63losed/readme',
    'doc://%2563losed/readme',
    'doc://closed%2Freadme',
    'DOC://closed/readme',
    'doc://CLOSED/readme',
    'doc://closed/readme?x',
    'doc://closed/readme#x',
    'doc://me@closed/readme',
    'doc://closed/of/x',
    'skill://closed/./SKILL.md',
  ])('cannot be read as %j', async (spelling) => {
    vault.seen.length = 0
    const { code } = await refusalOf(client, 'resources/read', { uri: uri + spelling })
    expect(code).toBe(-32602)
    expect(vault.seen.join()).not.toMatch(/clo\s*sed/i)
  })
})

describe.each([
  ['/mcp', 'vault+'],
  ['/mcp/vault', ''],
])('by hand at %s, what policy denies', (path, prefix) => {
  let session: string
  const ask = {
    legacy: (method: string, params: Record<string, unknown>) =>
      legacyRequest(gateway.url + path, method, params, { session }),
    modern: (method: string, params: Record<string, unknown>) =>
      modernRequest(gateway.url + path, method, params, {
        ...(typeof params.uri === 'string' && { headers: { 'mcp-name': encodeHeaderValue(params.uri) } }),
      }),
  }
  beforeAll(async () => {
    session = await openSession(gateway.url + path)
  })

  describe.each(['legacy', 'modern'] as const)('for a %s client', (era) => {
    it.each([
      ['resources/read', { uri: ['doc://closed/readme'] }],
      ['resources/read', { uri: { toString: 'doc://closed/readme' } }],
      ['resources/read', { uri: 7 }],
      ['resources/read', {}],
      ['skills/get', { uri: ['skill://closed/SKILL.md'] }],
      ['resources/directory/read', { uri: [['skill://closed']] }],
      ['tools/call', { name: ['closed'] }],
      ['prompts/get', { name: { closed: true } }],
      [
        'completion/complete',
        {
          ref: { type: 'ref/resource', uri: ['doc://closed/{page}'] },
          argument: { name: 'page', value: '' },
        },
      ],
      ['completion/complete', { ref: ['ref/resource'], argument: { name: 'page', value: '' } }],
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'open' }, argument: { name: ['of'], value: '' } },
      ],
    ])('cannot be reached with params of another type: %s %j', async (method, params) => {
      vault.seen.length = 0
      const { message } = await ask[era](method, params)
      expect(message.error).toMatchObject({ code: -32602, message: expect.stringMatching(/must be/) })
      expect(vault.seen).toEqual([])
    })

    it.each([
      'doc://clo\tsed/readme',
      'doc://closed/readme\n',
      ' doc://closed/readme',
      'doc:\\\\closed\\readme',
      'doc://closed\\readme',
      'doc://clo\u200bsed/readme',
      'doc://closed/%zz/../readme',
      'doc://closed/%c0%ae/readme',
    ])('cannot be read as %j', async (spelling) => {
      vault.seen.length = 0
      const { message } = await ask[era]('resources/read', { uri: prefix + spelling })
      expect(message.error.code).toBe(era === 'modern' ? -32602 : -32002)
      expect(vault.seen).toEqual([])
    })
  })
})

describe('a target whose own URIs are not canonical', () => {
  const LISTED = ['DOC://open/./a', 'doc://open/100%', 'doc://open/b c', 'doc://open/x%252Fy']
  const DENIED = [
    'doc://closed/./d',
    'doc://open/../closed/e',
    'doc://open/..%2Fclosed/f',
    'DOC://%63losed/g',
  ]

  it('is asked for what it lists as it lists it, if that is permitted in every reading', async () => {
    expectObjections(/must match format "uri"/, 'passes on what the target lists')
    const target = await scriptedTarget({
      'resources/list': () => ({ resources: [...LISTED, ...DENIED].map((uri) => ({ uri, name: uri })) }),
      'resources/read': ({ params }) => ({ contents: [{ uri: params.uri, text: 'text' }] }),
    })
    const own = await testGateway({
      mcpServers: { web: { url: target.url } },
      policy: { rules: [{ deny: ['resources:web/doc://closed/*'] }] },
    })
    try {
      const read = async (uri: string): Promise<string | undefined> => {
        target.calls.length = 0
        const headers = { 'mcp-name': encodeHeaderValue(`web+${uri}`) }
        await modernRequest(own.endpoint, 'resources/read', { uri: `web+${uri}` }, { headers })
        return target.calls.find(({ method }) => method === 'resources/read')?.params.uri
      }
      const { message } = await modernRequest(own.endpoint, 'resources/list')
      expect(message.result.resources.map(({ uri }: { uri: string }) => uri)).toEqual(
        LISTED.map((uri) => `web+${uri}`),
      )
      for (const uri of LISTED) expect(await read(uri)).toBe(uri)
      for (const uri of DENIED) expect(await read(uri)).toBeUndefined()
      expect(await read('doc://open/a')).toBe('DOC://open/./a')
      expect(await read('doc://open/b%20c')).toBe('doc://open/b c')
      expect(await read('DOC://open/x/../other')).toBe('doc://open/other')
      expect(await read('doc://open/z%252Fy')).toBeUndefined()
    } finally {
      await own.close()
      await target.close()
    }
  })

  it('does not get a denied resource out among others', async () => {
    const both = ['doc://open/a', 'doc://closed/./a']
    const target = await scriptedTarget({
      'resources/read': ({ params }) => ({
        contents: (params.uri === 'doc://open/all' ? both : both.slice(1)).map((uri) => ({ uri, text: uri })),
      }),
      'resources/directory/read': () => ({ resources: both.map((uri) => ({ uri, name: uri })) }),
    })
    const own = await testGateway({
      mcpServers: { web: { url: target.url } },
      policy: { rules: [{ deny: ['resources:web/doc://closed/*'] }] },
    })
    try {
      const ask = (method: string, uri: string) => modernRequest(own.endpoint, method, { uri })
      const all = await ask('resources/read', 'web+doc://open/all')
      expect(all.message.result.contents).toEqual([{ uri: 'web+doc://open/a', text: 'doc://open/a' }])
      const alias = await ask('resources/read', 'web+doc://open/alias')
      expect(alias.message.error).toMatchObject({ message: 'Resource not found: web+doc://open/alias' })
      const folder = await ask('resources/directory/read', 'web+doc://open')
      expect(folder.message.result.resources).toEqual([{ uri: 'web+doc://open/a', name: 'doc://open/a' }])
    } finally {
      await own.close()
      await target.close()
    }
  })
})
