import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { AuthInfo, JsonObject, Outcome } from '@gantry/mcp/exchange'
import { prompt, Server, tool } from '@gantry/mcp/server'
import { configFromValue, type RawConfig } from '../../config/index.ts'
import { chainBench, liveExchange } from '../chain.test.support.ts'

const issue = {
  type: 'object',
  properties: {
    repo: { type: 'string' },
    title: { type: 'string' },
    body: { type: 'string' },
    count: { type: 'integer', maximum: 100 },
    label: { enum: ['bug', 'idea', 'secret'] },
    team: { type: 'string' },
  },
  required: ['repo', 'title', 'body'],
} as const

const seen: unknown[] = []
const github = new Server({
  name: 'github',
  tools: {
    issue_create: tool({
      input: issue,
      run: (args) => {
        seen.push(args)
        return JSON.stringify(args)
      },
    }),
    issue_list: tool({ run: () => 'write to ann@example.com' }),
    repo_delete: tool({ run: () => 'deleted' }),
  },
  resources: { one: { uri: 'note:one', read: () => 'one' } },
})
const notes = new Server({
  name: 'notes',
  tools: { add: tool({ run: () => 'added' }) },
  prompts: {
    sum_up: prompt({ arguments: { text: { description: 'A text' } }, run: ({ text }) => String(text) }),
  },
})

const config = {
  policy: { rules: [{ deny: ['tools:notes/add'] }] },
  auth: {
    apiKeys: [
      { name: 'desk', key: 'k'.repeat(32) },
      { name: 'other', key: 'o'.repeat(32) },
    ],
  },
  views: {
    support: {
      use: ['github/issue_*', 'notes/*'],
      title: 'Support',
      instructions: 'Report what customers say.',
      who: { apiKeys: ['desk'] },
      tools: {
        'github/issue_create': {
          name: 'report_bug',
          title: 'Report a bug',
          description: 'Tells the team about a bug.',
          parameters: {
            repo: { fixed: 'acme/app' },
            body: { rename: 'text' },
            label: { default: 'bug', enum: ['bug', 'idea'] },
            count: { maximum: 10 },
            team: { fixed: { expression: 'claims.team' } },
          },
        },
      },
      prompts: { 'notes/sum_up': { name: 'shorten', description: 'Sums up.' } },
      results: [{ mask: ['email'] }],
    },
  },
}

const { gateway } = await chainBench({ github, notes }, config)
const desk: AuthInfo = {
  principal: { kind: 'key', subject: 'desk' },
  scopes: [],
  claims: { team: 'blue' },
} as never
const ask = async (method: string, params: JsonObject = {}, auth = desk): Promise<Outcome> =>
  gateway.endpoint('support')!.respond(liveExchange(method, params, { auth }))
const resultOf = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
  const outcome = await ask(method, params)
  if (outcome.type !== 'complete') throw new Error(JSON.stringify(outcome))
  return outcome.result
}
const call = (args: JsonObject) => resultOf('tools/call', { name: 'report_bug', arguments: args })

describe('a view', () => {
  it('lists what it uses, under its names, as far as policy allows it', async () => {
    const { tools } = (await resultOf('tools/list')) as { tools: JsonObject[] }
    expect(tools.map(({ name }) => name)).toEqual(['report_bug', 'github_issue_list'])
    expect(tools[0]).toMatchObject({
      title: 'Report a bug',
      description: 'Tells the team about a bug.',
      inputSchema: {
        properties: {
          title: { type: 'string' },
          text: { type: 'string' },
          count: { type: 'integer', maximum: 10 },
          label: { enum: ['bug', 'idea'], default: 'bug' },
        },
        required: ['title', 'text'],
      },
    })
    const { properties } = tools[0]!.inputSchema as { properties: object }
    expect(Object.keys(properties)).toEqual(['title', 'text', 'count', 'label'])
    expect(await resultOf('prompts/list')).toMatchObject({
      prompts: [{ name: 'shorten', description: 'Sums up.' }],
    })
    expect(await resultOf('resources/list')).toMatchObject({ resources: [] })
    expect(await resultOf('server/discover')).toMatchObject({ instructions: 'Report what customers say.' })
  })

  it('fills in what is fixed, worked out or left out, and gives parameters their own names', async () => {
    await call({ title: 'A', text: 'B' })
    expect(seen.at(-1)).toEqual({ title: 'A', body: 'B', repo: 'acme/app', label: 'bug', team: 'blue' })
  })

  it('cannot be got around with names that it hides', async () => {
    await call({ title: 'A', text: 'B', repo: 'evil/app', team: 'red', body: 'C', label: 'idea' })
    expect(seen.at(-1)).toEqual({ title: 'A', body: 'B', repo: 'acme/app', label: 'idea', team: 'blue' })
  })

  it.each([
    [{ title: 'A', text: 'B', label: 'secret' }, 'label'],
    [{ title: 'A', text: 'B', count: 11 }, 'count'],
  ])('refuses %j, and says why', async (args, name) => {
    const before = seen.length
    const result = await call(args)
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).toContain(name)
    expect(seen).toHaveLength(before)
  })

  it.each(['github_issue_create', 'github_repo_delete', 'notes_add', 'nothing'])(
    'has no tool %s',
    async (name) => {
      const outcome = await ask('tools/call', { name, arguments: {} })
      expect(outcome).toMatchObject({ error: { message: `Unknown tool: ${name}` } })
    },
  )

  it('has no resource that it does not use, by whatever name', async () => {
    for (const uri of ['note:one', 'github+note:one']) {
      expect(await ask('resources/read', { uri })).toMatchObject({ type: 'error' })
    }
  })

  it('has rules for results of its own', async () => {
    expect(JSON.stringify(await resultOf('tools/call', { name: 'github_issue_list' }))).toContain(
      '[masked email]',
    )
    const common = await gateway
      .endpoint()!
      .respond(liveExchange('tools/call', { name: 'github_issue_list' }, { auth: desk }))
    expect(JSON.stringify(common)).toContain('ann@example.com')
  })

  it('fails a call when an expression has no value', async () => {
    const before = seen.length
    const outcome = await ask(
      'tools/call',
      { name: 'report_bug', arguments: { title: 'A', text: 'B' } },
      { ...desk, claims: {} },
    )
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining('could not fill in') } })
    expect(seen).toHaveLength(before)
  })

  it('is there for those who may use it', () => {
    const other = { ...desk, principal: { kind: 'key', subject: 'other' } } as AuthInfo
    expect(gateway.mayUseView('support', { auth: desk })).toBe(true)
    expect(gateway.mayUseView('support', { auth: other })).toBe(false)
    expect(gateway.mayUseView('support', {})).toBe(false)
    expect(gateway.mayUseView('nothing', { auth: desk })).toBe(false)
  })
})

describe('a group of mcphub', () => {
  it('is the view that the documents show', async () => {
    const page = await readFile(new URL('../../../../../docs/coming-from-others.md', import.meta.url), 'utf8')
    const source = /is this view:\n\n```yaml\n([^`]*)```/.exec(page)![1]!
    const { views } = parse(source) as { views: JsonObject }
    const both = ['toolA', 'toolB', 'toolC']
    const serverOf = (name: string): Server =>
      new Server({
        name,
        tools: Object.fromEntries(both.map((one) => [one, tool({ run: () => one })])),
        prompts: {
          draft_prompt: prompt({ run: () => 'draft' }),
          other_prompt: prompt({ run: () => 'other' }),
        },
        resources: {
          guide: { uri: 'resource://docs/guide', read: () => 'guide' },
          secret: { uri: 'resource://docs/secret', read: () => 'secret' },
        },
      })
    const apps = { server1: serverOf('server1'), server2: serverOf('server2') }
    const { gateway: hub } = await chainBench(apps, { views })
    const names = async (method: string, member: string, key: string): Promise<unknown[]> => {
      const outcome = await hub.endpoint('desk')!.respond(liveExchange(method))
      return ((outcome as { result: JsonObject }).result[member] as JsonObject[]).map((one) => one[key])
    }
    expect(await names('tools/list', 'tools', 'name')).toEqual([
      ...both.map((one) => `server1_${one}`),
      'server2_toolA',
      'server2_toolB',
    ])
    expect(await names('prompts/list', 'prompts', 'name')).toEqual([
      'server1_draft_prompt',
      'server1_other_prompt',
      'server2_draft_prompt',
    ])
    expect(
      (await names('resources/list', 'resources', 'uri')).filter((uri) => String(uri).includes('server2')),
    ).toEqual(['server2+resource://docs/guide'])
  })
})

describe('the configuration of a view', () => {
  const problemsOf = async (views: RawConfig['views']): Promise<string> => {
    const loaded = await configFromValue({ mcpServers: { a: { command: 'a' } }, views } as RawConfig, {})
    return JSON.stringify(loaded.ok ? loaded.warnings : loaded.problems)
  }

  it.each<[string, RawConfig['views'], string]>([
    ['the name of a target', { a: { use: ['a/*'] } }, 'both would be served at /mcp/a'],
    ['a target that is not there', { v: { use: ['b/*'] } }, 'No target is called'],
    ['a wildcard for one tool', { v: { use: ['a/*'], tools: { 'a/*': {} } } }, 'does not name one tool'],
    [
      'one name for two tools',
      { v: { use: ['a/*'], tools: { 'a/x': { name: 'n' }, 'a/y': { name: 'n' } } } },
      'would both be called',
    ],
    [
      'an expression that cannot be read',
      { v: { use: ['a/*'], tools: { 'a/x': { parameters: { p: { fixed: { expression: 'claims.(' } } } } } } },
      'The expression cannot be used',
    ],
  ])('with %s is reported', async (_what, views, message) => {
    expect(await problemsOf(views)).toContain(message)
  })
})
