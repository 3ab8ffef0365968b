import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { Server, tool, user } from '@gantry/mcp/server'
import fc from 'fast-check'
import { z } from 'zod'
import { modernRequest } from '../support/raw-client.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

const KEYS = { ann: 'a'.repeat(16) + 'bcdefghijklmnopq', bob: 'b'.repeat(16) + 'cdefghijklmnopqr' }
const calls: string[] = []
const app = new Server({
  name: 'payments',
  tools: {
    refund: tool({
      input: z.object({ amount: z.number().optional(), to: z.string().optional() }).loose(),
      run: ({ amount }) => {
        calls.push(`refund ${amount}`)
        return 'done'
      },
    }),
    wipe: tool({ annotations: { destructiveHint: true }, run: () => 'wiped' }),
    look: tool({
      input: z.object({ amount: z.number().optional() }),
      annotations: { readOnlyHint: true, destructiveHint: false },
      run: () => 'seen',
    }),
    limited: tool({ run: () => 'one more' }),
    told: tool({ run: () => 'told' }),
    broken: tool({ run: () => 'broken' }),
    tried: tool({ run: () => 'tried' }),
  },
  prompts: {
    letter: { arguments: { to: { complete: () => ['ann', 'bob'] } }, run: ({ to }) => [user(`Dear ${to}`)] },
  },
  resources: ['plan', 'draft'].map((name) => ({ uri: `doc://${name}/1`, name, text: name })),
  templates: { any: { uriTemplate: 'doc://{section}/{page}', read: ({ section }) => `${section} text` } },
})

const RULES = [
  { name: 'large', deny: ['payments/refund'], when: 'args.amount > 500', message: 'Ask a lead.' },
  { name: 'no gifts', deny: ['payments/refund'], when: 'has(args.to) && args.to == "me"' },
  { name: 'destructive', deny: ['tools:*'], when: 'annotations.destructiveHint && tool == "wipe"' },
  { name: 'limit', deny: ['payments/limited'], when: 'count("1d") >= 3' },
  { name: 'told', deny: ['payments/told'], when: 'principal.subject == "ann"', message: 'Not for you, Ann.' },
  { name: 'broken', deny: ['payments/broken'], when: 'claims.team == "x"' },
  { name: 'letters', deny: ['prompts:payments/letter'], when: 'args.to == "bob"' },
  { name: 'drafts', deny: ['resources:payments/*'], when: 'uri.startsWith("doc://draft/")' },
  { name: 'trial', deny: ['payments/tried'], mode: 'audit' },
]
const CONFIG = {
  mcpServers: { payments: { module: 'payments' } },
  auth: { apiKeys: Object.entries(KEYS).map(([name, key]) => ({ name, key })) },
  policy: { rules: RULES },
}

let gateway: TestGateway
const log: string[] = []
beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => log.push(String(text)) > 0)
  gateway = await testGateway(CONFIG, { embedded: new Map([['payments', app]]), logLevel: 'info' })
})
afterAll(async () => {
  await gateway.close()
  vi.restoreAllMocks()
})

const UNDECIDED = expect.stringMatching(/^Ask a lead\. \(That could not be decided/)

const headersOf = (who: keyof typeof KEYS) => ({ authorization: `Bearer ${KEYS[who]}` })
const ask = async (method: string, params: object, who: keyof typeof KEYS = 'ann') => {
  const name = (params as { name?: string; uri?: string }).name ?? (params as { uri?: string }).uri
  const headers = { ...headersOf(who), ...(name !== undefined && { 'mcp-name': name }) }
  return modernRequest(gateway.endpoint, method, params as Record<string, unknown>, { headers })
}
const call = (name: string, args: object = {}, who: keyof typeof KEYS = 'ann') =>
  ask('tools/call', { name: `payments_${name}`, arguments: args }, who)

describe.each(['legacy', 'modern'] as const)('rules with conditions, for a %s client', (era) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(http(gateway.endpoint, { headers: headersOf('ann') }), { era })
  })
  afterAll(() => client.close())

  const refusalOf = async (method: string, params: object) => {
    const answered = client.request(method, params as Record<string, unknown>)
    const { code, message } = await answered.then(
      () => expect.unreachable(),
      (error) => error,
    )
    return { code, message }
  }

  it('hide what no arguments could make callable, and nothing else', async () => {
    const { tools } = (await client.request('tools/list', {})) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ['limited', 'look', 'refund', 'tried'].map((name) => `payments_${name}`),
    )
    const text = JSON.stringify(await client.request('resources/list', {}))
    expect(text).toContain('doc://plan/1')
    expect(text).not.toContain('draft')
    expect(JSON.stringify(await client.request('resources/templates/list', {}))).toContain('{section}')
    expect(JSON.stringify(await client.request('prompts/list', {}))).toContain('payments_letter')
  })

  it('decide by the arguments of a call', async () => {
    calls.length = 0
    const params = (args: object) => ({ name: 'payments_refund', arguments: args })
    expect(await client.request('tools/call', params({ amount: 500 }))).toMatchObject({
      content: [{ text: 'done' }],
    })
    expect(await refusalOf('tools/call', params({ amount: 500.5 }))).toEqual({
      code: -32600,
      message: 'Ask a lead.',
    })
    const unknown = { code: -32602, message: 'Unknown tool: payments_refund' }
    expect(await refusalOf('tools/call', params({ amount: 1, to: 'me' }))).toEqual(unknown)
    // A condition that fails denies.
    expect(await refusalOf('tools/call', params({}))).toEqual({ code: -32600, message: UNDECIDED })
    expect(await refusalOf('tools/call', params({ amount: '1' }))).toEqual({
      code: -32600,
      message: UNDECIDED,
    })
    expect(calls).toEqual(['refund 500'])
  })

  it('hold for prompts, resources and completions', async () => {
    const letter = (to: string) => ({ name: 'payments_letter', arguments: { to } })
    expect(JSON.stringify(await client.request('prompts/get', letter('ann')))).toContain('Dear ann')
    expect(await refusalOf('prompts/get', letter('bob'))).toEqual({
      code: -32602,
      message: 'Unknown prompt: payments_letter',
    })
    const completion = {
      ref: { type: 'ref/prompt', name: 'payments_letter' },
      argument: { name: 'to', value: '' },
    }
    expect(JSON.stringify(await client.request('completion/complete', completion))).toContain('ann')
    const read = (uri: string) => ({ uri: `payments+${uri}` })
    expect(JSON.stringify(await client.request('resources/read', read('doc://plan/9')))).toContain('plan')
    for (const uri of ['doc://draft/1', 'DOC://draft/./1', 'doc://plan/../draft/1', 'doc://%64raft/9']) {
      const { message } = await refusalOf('resources/read', read(uri))
      expect(message).toContain(`Resource not found: payments+${uri}`)
    }
  })
})

it('tells a caller what a rule wants it to be told, and others nothing', async () => {
  expect((await call('told')).message.error).toEqual({ code: -32600, message: 'Not for you, Ann.' })
  expect((await call('told', {}, 'bob')).message.result).toMatchObject({ content: [{ text: 'told' }] })
  const { message } = await ask('tools/list', {})
  expect(JSON.stringify(message)).not.toContain('payments_told')
})

/** The whole answer, with the name in it made alike. `content-length` follows from it. */
function sameBytes({ text, status, headers }: Awaited<ReturnType<typeof call>>, name: string): string {
  const kept = [...headers].filter(([key]) => key !== 'date' && key !== 'content-length')
  return JSON.stringify([
    status,
    kept,
    text.replace(/"id":\d+/, '"id":0').replaceAll(`payments_${name}`, 'NAME'),
  ])
}
const bytesOf = async (name: string, args: object) => sameBytes(await call(name, args), name)

it('answers a denied call with the bytes of a call of something that does not exist', async () => {
  const gift = { amount: 1, to: 'me' }
  expect(await bytesOf('refund', gift)).toBe(await bytesOf('nothin', gift))
  expect(await bytesOf('broken', {})).toBe(await bytesOf('nothin', {}))
})

const SEED = Number(process.env.SEED ?? 20_261_116)

it(`does so under any rules (seed ${SEED})`, async () => {
  const atoms = [
    'args.amount > 1',
    'has(args.to)',
    'tool == "look"',
    'claims.x == 1',
    'annotations.readOnlyHint',
    'true',
  ]
  const rule = fc.record({
    when: fc
      .tuple(fc.constantFrom(...atoms), fc.constantFrom('&&', '||'), fc.constantFrom(...atoms))
      .map(([left, op, right]) => `(${left} ${op} ${right}) && args.amount > 0`),
    deny: fc.subarray(['tools:*', 'payments/look', 'payments/refund'], { minLength: 1 }),
  })
  // Nothing is hidden by these: for what is hidden, the target is asked again, and not as often as one likes.
  const missing = await bytesOf('nothin', { amount: 1 })
  let denied = 0
  for (const rules of fc.sample(fc.array(rule, { minLength: 1, maxLength: 3 }), {
    seed: SEED,
    numRuns: 30,
  })) {
    await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir: gateway.stateDir, policy: { rules } }))
    for (const [name, args] of [
      ['refund', { amount: 1 }],
      ['refund', { amount: 2, to: 'me' }],
      ['look', { amount: 1 }],
    ] as const) {
      const answer = await call(name, args)
      if (answer.message.result) continue
      denied++
      expect(sameBytes(answer, name)).toBe(missing)
    }
  }
  expect(denied).toBeGreaterThan(3)
  await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir: gateway.stateDir }))
})

it('counts the calls that were let through, for each caller', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('limited')))
  expect(answers.filter(({ message }) => message.result)).toHaveLength(3)
  expect((await call('limited')).message.error).toMatchObject({ message: 'Unknown tool: payments_limited' })
  expect((await call('limited', {}, 'bob')).message.result).toBeDefined()
})

it('logs what rules on trial would have denied, and lets it pass', async () => {
  expect((await call('tried')).message.result).toMatchObject({ content: [{ text: 'tried' }] })
  // The log leaves lines out while there are many, and the test above makes many.
  const trials = async (): Promise<string> => {
    await call('tried')
    return log.filter((line) => line.includes('would deny')).join()
  }
  await expect.poll(trials, { interval: 500 }).toMatch(/rule="trial".*/)
})

it('refuses arguments that no rule can look at', async () => {
  let deep: unknown = 1
  for (let level = 0; level < 400; level++) deep = { deep }
  calls.length = 0
  expect((await call('refund', { amount: deep })).message.error).toMatchObject({ message: UNDECIDED })
  expect((await call('refund', ['amount', 900])).message.error).toBeDefined()
  expect(calls).toEqual([])
  // What the rules do not look at may be as long as it likes.
  expect((await call('refund', { amount: 1, note: 'x'.repeat(3_000_000) })).message.result).toBeDefined()
})

it('explains what each rule says of a call', async () => {
  const why = (name: string, query: object = {}) =>
    gateway.api.call('why', { query: { name: `payments_${name}`, as: 'key:ann', ...query } })
  const listed = await why('refund')
  expect(listed.verdict).not.toBe('missing')
  expect(listed.rules!.filter(({ says }) => says !== 'other')).toMatchObject([
    { rule: 'large', says: 'depends', decides: false, mode: 'enforce', when: 'args.amount > 500' },
    { rule: 'no gifts', says: 'depends' },
    { rule: 'destructive', says: 'does not hold' },
  ])
  const denied = await why('refund', { args: '{"amount":900}' })
  expect(denied).toMatchObject({
    verdict: 'missing',
    summary: 'The policy denies this call to key:ann, by the rule "large"',
  })
  expect(denied.rules![0]).toMatchObject({
    rule: 'large',
    says: 'denies',
    decides: true,
    message: 'Ask a lead.',
  })
  const failing = await why('refund', { args: '{}' })
  expect(failing.rules![0]).toMatchObject({ says: 'fails', failure: 'No such key: amount' })
  expect((await why('refund', { args: '{"amount":1}' })).verdict).not.toBe('missing')
  expect((await why('broken')).verdict).toBe('missing')
  expect((await why('broken', { claims: '{"team":"y"}' })).verdict).not.toBe('missing')
  expect((await why('tried')).rules!.at(-1)).toMatchObject({ rule: 'trial', says: 'denies', mode: 'audit' })
  await expect(why('refund', { args: '[1]' })).rejects.toThrow('not a JSON object')
})

it('warns about conditions that do not fit the lists', async () => {
  const rules = [{ name: 'slip', deny: ['tools:payments/look'], when: 'args.amuont > 500' }]
  await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir: gateway.stateDir, policy: { rules } }))
  await expect
    .poll(() => log.join(''))
    .toMatch(
      /A rule does not fit what it is about: args.amuont is not a field of look; did you mean amount.*rule="slip" at="configuration:\d+:\d+"/,
    )
  await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir: gateway.stateDir }))
})

it('warns about views that do not fit the lists', async () => {
  const tools = { 'payments/look': { parameters: { amuont: { fixed: 1 } } } }
  const views = { desk: { use: ['payments/*'], tools } }
  await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir: gateway.stateDir, views }))
  await expect.poll(() => log.join('')).toMatch(/amuont is not a parameter of look; did you mean amount\?/)
  await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir: gateway.stateDir }))
})

it('takes new rules while calls are under way, and drops what they deny', async () => {
  const before = await call('look')
  expect(before.message.result).toBeDefined()
  const rules = [...RULES, { name: 'new', deny: ['payments/look'], when: 'true' }]
  await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir: gateway.stateDir, policy: { rules } }))
  expect((await call('look')).message.error).toMatchObject({ message: 'Unknown tool: payments_look' })
  await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir: gateway.stateDir }))
  expect((await call('look')).message.result).toBeDefined()
})
