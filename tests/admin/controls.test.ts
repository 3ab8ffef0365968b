import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, http } from '@gantry/mcp/client'
import { fileURLToPath } from 'node:url'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

const KEY = 'desk-key-0123456789abcdef0123456789'
const everything = fileURLToPath(
  import.meta
    .resolve('@modelcontextprotocol/server-everything/package.json')
    .replace('package.json', 'dist/index.js'),
)

let gateway: AdminGateway

beforeAll(async () => {
  gateway = await adminGateway({
    mcpServers: { all: { command: process.execPath, args: [everything, 'stdio'] } },
    auth: { apiKeys: [{ name: 'desk', key: KEY }] },
    policy: {
      rules: [
        { name: 'no images', deny: ['tools:all/get-tiny-image'] },
        { name: 'small sums', deny: ['tools:all/get-sum'], when: 'args.a > 10.0' },
        { name: 'on trial', deny: ['tools:all/echo'], when: 'args.message == "loud"', mode: 'audit' },
      ],
    },
    limits: { rates: [{ name: 'echoes', for: ['tools:all/echo'], perDay: 3 }] },
    results: [{ name: 'no addresses', mask: ['email'] }],
    views: {
      desk: {
        use: ['tools:all/echo', 'tools:all/get-sum'],
        title: 'Desk',
        who: { apiKeys: ['desk'] },
        tools: {
          'all/echo': { name: 'say', description: 'Says it.', parameters: { message: { rename: 'text' } } },
        },
      },
    },
  })
  await until(
    async () => (await gateway.api.call('catalog', { query: {} })).entries.length > 5,
    'The catalog',
  )
  const client = await connect(http(`${gateway.url}/mcp`, { headers: { authorization: `Bearer ${KEY}` } }))
  const call = (name: string, args: object): Promise<unknown> =>
    client.call(name, { ...args }).catch(() => undefined)
  for (const message of ['ann@example.com', 'loud', 'three', 'four']) await call('all_echo', { message })
  await call('all_get-tiny-image', {})
  await call('all_get-sum', { a: 1, b: 2 })
  await call('all_get-sum', { a: 11, b: 2 })
  await client.close()
})
afterAll(() => gateway?.close())

describe('the access page of the admin API', () => {
  it('says who comes in, and with what', async () => {
    const { required, keys, callers } = await gateway.api.call('access', {})
    expect(required).toBe(true)
    expect(keys).toMatchObject([{ name: 'desk', requests: expect.any(Number), lastSeen: expect.any(Number) }])
    expect(callers[0]).toMatchObject({ as: 'key:desk' })
    expect(JSON.stringify(await gateway.api.call('access', {}))).not.toContain(KEY)
  })

  it('counts what each rule decided, and what rules on trial would have', async () => {
    const { policy } = await gateway.api.call('access', {})
    const figures = Object.fromEntries(
      policy.rules.map(({ name, denied, wouldDeny }) => [name, [denied, wouldDeny]]),
    )
    expect(figures).toEqual({ 'no images': [1, 0], 'small sums': [1, 0], 'on trial': [0, 1] })
    expect(policy.byDefault.allowed).toBeGreaterThan(3)
    expect(policy.rules[2]).toMatchObject({ mode: 'audit', when: 'args.message == "loud"' })
  })

  it('says how full limits are, and how often they refused', async () => {
    const { limits } = await gateway.api.call('access', {})
    expect(limits).toMatchObject([
      {
        name: 'echoes',
        numbers: ['3 a day'],
        refused: 1,
        counted: 1,
        shares: [{ who: expect.stringContaining('desk'), fills: [{ of: 'perDay', used: 3, capacity: 3 }] }],
      },
    ])
  })

  it('says what was masked', async () => {
    const { found, results } = await gateway.api.call('access', {})
    expect(found).toMatchObject([{ name: 'email', mask: expect.any(Number), drop: 0, refuse: 0 }])
    expect(found[0]!.mask).toBeGreaterThan(0)
    expect(results).toMatchObject([{ name: 'no addresses', mask: ['email'] }])
  })

  it('keeps the counts of limits when the configuration changes, and for all endpoints', async () => {
    const view = await connect(
      http(`${gateway.url}/mcp/desk`, { headers: { authorization: `Bearer ${KEY}` } }),
    )
    await expect(view.call('say', { text: 'five' })).rejects.toThrow('echoes')
    await view.close()
  })
})

describe('an endpoint as a caller sees it', () => {
  const seen = async (body: NonNullable<Parameters<typeof gateway.api.call<'seen'>>[1]['body']>) =>
    gateway.api.call('seen', { body })

  it('has what the caller gets, and why it does not get the rest', async () => {
    const { entries, mayUse } = await seen({ as: 'key:desk' })
    expect(mayUse).toBe(true)
    const image = entries.find(({ own }) => own === 'get-tiny-image')
    expect(image).toMatchObject({ hiddenBy: 'policy', rule: 'no images', tokens: 0 })
    expect(image).not.toHaveProperty('key')
    expect(entries.find(({ own }) => own === 'echo')).toMatchObject({ key: 'all_echo' })
  })

  it('shows a view beside what the target has', async () => {
    const { entries } = await seen({ endpoint: 'desk', as: 'key:desk' })
    expect(entries.filter(({ key }) => key !== undefined).map(({ key }) => key)).toEqual([
      'say',
      'all_get-sum',
    ])
    expect(entries.find(({ own }) => own === 'get-env')).toMatchObject({ hiddenBy: 'view' })
    const entry = { kind: 'tool', target: 'all', own: 'echo' } as const
    expect(await seen({ endpoint: 'desk', as: 'key:desk', entry })).toMatchObject({
      entries: [],
      entry: {
        definition: { name: 'say', inputSchema: { properties: { text: {} } } },
        ownDefinition: { name: 'echo', inputSchema: { properties: { message: {} } } },
      },
    })
    expect((await seen({ endpoint: 'desk', as: 'person:ann' })).mayUse).toBe(false)
    await expect(seen({ endpoint: 'desk', as: 'key:dsk' })).rejects.toThrow('No key is called "dsk"')
  })

  it('shows a view that is still edited, and what is wrong with it', async () => {
    const before = await gateway.readConfig()
    const edited = await seen({ endpoint: 'new', edited: { use: ['tools:all/get-*'] } })
    expect(edited.entries.filter(({ key }) => key !== undefined).length).toBeGreaterThan(2)
    const wrong = await seen({ endpoint: 'new', edited: { use: 'all' } })
    expect(wrong).toMatchObject({ entries: [], problems: [expect.any(String)] })
    expect(await gateway.readConfig()).toBe(before)
  })

  it('says how the file would change, and saves it with the rest of it', async () => {
    const { view } = await gateway.api.call('view', { params: { name: 'desk' } })
    expect(view).toMatchObject({ title: 'Desk' })
    const edit = await gateway.api.call('editView', {
      body: { name: 'desk', view: { ...view, title: 'Help desk' } },
    })
    expect(edit.check.ok).toBe(true)
    expect(JSON.stringify(edit.check.diff)).toContain('Help desk')
    await gateway.api.call('saveConfig', { body: { text: edit.text, revision: edit.revision } })
    const { views, limits } = await gateway.api.call('access', {})
    expect(views).toMatchObject([{ name: 'desk', title: 'Help desk', shaped: 1, who: 'key desk' }])
    expect(limits[0]).toMatchObject({ shares: [{ fills: [{ used: 3 }] }] })
    const gone = await gateway.api.call('editView', { body: { name: 'desk', view: null } })
    expect(gone.text).not.toContain('Help desk')
  })

  it('answers why at an endpoint', async () => {
    const { chain } = await gateway.api.call('why', {
      query: { name: 'all_get-env', as: 'key:desk', view: 'desk', args: '{}' },
    })
    expect(chain.find(({ status }) => status === 'problem')).toMatchObject({
      code: 'not-in-view',
      fix: 'Add "all/get-env" to "use" of the view.',
    })
    const why = (query: { name: string; as?: string; view?: string }) => gateway.api.call('why', { query })
    const say = { verdict: 'available', summary: 'The view "desk" calls it so', name: 'say' }
    expect(await why({ name: 'say', as: 'key:desk' })).toMatchObject(say)
    expect(await why({ name: 'say', as: 'key:desk', view: 'desk' })).toMatchObject(say)
    expect(await why({ name: 'say', as: 'person:ann' })).toMatchObject({
      verdict: 'missing',
      summary: 'The view "desk" is not for person:ann: for them it does not exist',
    })
    await expect(why({ name: 'say', view: 'dsk' })).rejects.toThrow('No view or target is called "dsk"')
  })
})
