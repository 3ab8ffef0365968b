import { expect, it } from 'vitest'
import { configFromValue, type LoadResult, parseConfig } from '../index.ts'

const SERVERS = { mcpServers: { payments: { command: 'x' }, docs: { command: 'y' } } }
const RULES = [
  {
    name: 'large refunds',
    when: 'args.amount > 500 && !("leads" in groups)',
    deny: ['payments/create_refund'],
    message: 'Ask a lead',
  },
  { name: 'drafts', when: 'uri.contains("draft")', deny: ['resources:docs/*'] },
]

const load = (policy: object): Promise<LoadResult> => configFromValue({ ...SERVERS, policy } as never)
const problemsOf = (loaded: LoadResult) => (loaded.ok ? loaded.warnings : loaded.problems)

it('compiles conditions once, and keeps them in the frozen model', async () => {
  const loaded = await load({ rules: RULES })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const [rule] = loaded.model.policy.rules
  expect(rule).toMatchObject({
    name: 'large refunds',
    message: 'Ask a lead',
    when: { source: RULES[0]!.when },
  })
  expect(Object.isFrozen(rule!.when)).toBe(true)
  expect(loaded.model.policy.trial).toBeUndefined()
})

it('says where a condition is wrong', async () => {
  const text =
    'mcpServers:\n  a: { command: x }\npolicy:\n  rules:\n    - deny: ["a/*"]\n      when: tool = "x"\n'
  const loaded = await parseConfig(text, { format: 'yaml' })
  expect(loaded.ok).toBe(false)
  expect(problemsOf(loaded)).toMatchObject([
    { severity: 'error', code: 'invalid-value', path: 'policy.rules[0].when', line: 6, column: 13 },
  ])
})

it('tries rules out without enforcing them', async () => {
  const loaded = await load({
    default: 'deny',
    rules: [{ ...RULES[0]!, mode: 'audit' }, { allow: ['docs/*'] }],
  })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const { policy } = loaded.model
  expect(policy).toMatchObject({ fallback: 'deny', rules: [{ name: 'rule 2' }] })
  expect(policy.trial).toMatchObject({
    fallback: 'deny',
    rules: [{ name: 'large refunds' }, { name: 'rule 2' }],
  })
  const whole = await load({ default: 'deny', mode: 'audit', rules: [{ allow: ['docs/*'] }] })
  expect(whole.ok && whole.model.policy).toMatchObject({
    fallback: 'allow',
    rules: [],
    trial: { fallback: 'deny', rules: [{ name: 'rule 1' }] },
  })
})

it.each([
  {
    as: 'person:ann',
    call: 'payments/create_refund',
    args: { amount: 900 },
    expect: 'deny',
    rule: 'large refunds',
  },
  { as: 'person:ann', call: 'payments/create_refund', args: { amount: 1 }, expect: 'allow' },
  {
    as: 'person:bob',
    groups: ['leads'],
    call: 'payments/create_refund',
    args: { amount: 900 },
    expect: 'allow',
  },
  { call: 'payments/create_refund', args: { amount: 'many' }, expect: 'deny' },
  { call: 'payments/create_refund', expect: 'deny' },
  { list: 'payments/create_refund', expect: 'allow' },
  { call: 'docs/doc://draft/1', expect: 'deny' },
  { list: 'docs/doc://draft/1', expect: 'deny' },
  { call: 'resources:docs/doc://plan', expect: 'allow' },
  { call: 'prompts:payments/create_refund', args: { amount: 900 }, expect: 'deny' },
])('runs the tests of a policy: %j', async (test) => {
  const loaded = await load({ rules: RULES, tests: [test] })
  expect(problemsOf(loaded).filter(({ severity }) => severity === 'error')).toEqual([])
  expect(loaded.tests).toMatchObject([{ passed: true, decided: test.expect }])
  const turned = { ...test, rule: undefined, expect: test.expect === 'allow' ? 'deny' : 'allow' }
  const failing = await load({ rules: RULES, tests: [turned] })
  expect(failing.ok).toBe(false)
  expect(problemsOf(failing)).toMatchObject([{ code: 'failed-test', path: 'policy.tests[0]' }])
})

it('tests by time, count, client, era, endpoint, claims and annotations', async () => {
  const when = [
    'now.getHours() < 9',
    'count("1d") >= 3',
    'client.id == "bad" || client.name == "worse"',
    'era == "legacy"',
    'view == "payments"',
    'claims.?team.orValue("") == "x"',
    'annotations.destructiveHint',
  ]
  const good = {
    as: 'person:ann',
    call: 'payments/pay',
    now: '2026-01-01T12:00:00Z',
    annotations: { destructiveHint: false },
    expect: 'allow',
  }
  const bad = [
    { now: '2026-01-01T08:59:59Z' },
    { count: 3 },
    { client: { id: 'bad' } },
    { client: { name: 'worse' } },
    { era: 'legacy' },
    { view: 'payments' },
    { claims: { team: 'x' } },
    { annotations: {} },
  ].map((more) => ({ ...good, ...more, expect: 'deny' }))
  const loaded = await load({ rules: when.map((one) => ({ when: one, deny: ['*'] })), tests: [good, ...bad] })
  expect(loaded.tests.map(({ passed }) => passed)).toEqual(Array(9).fill(true))
})

it.each([
  [{ as: 'ann', call: 'payments/x', expect: 'allow' }, 'policy.tests[0].as'],
  [{ now: 'soon', call: 'payments/x', expect: 'allow' }, 'policy.tests[0].now'],
  [{ expect: 'allow' }, 'policy.tests[0]'],
  [{ call: 'payments/x', list: 'payments/x', expect: 'allow' }, 'policy.tests[0]'],
  [{ call: 'payments/x', expect: 'alow' }, 'policy.tests[0].expect'],
])('refuses a test that says nothing: %j', async (test, path) => {
  const loaded = await load({ tests: [test] })
  expect(loaded.ok).toBe(false)
  expect(problemsOf(loaded).map((one) => one.path)).toContain(path)
})

it('tests at a view what the view has, for those who may use it', async () => {
  const views = { desk: { use: ['docs/*'], who: { apiKeys: ['desk'] } } }
  const auth = { apiKeys: [{ name: 'desk', key: 'k'.repeat(32) }] }
  const at = (as: string, call: string): object => ({ view: 'desk', as, call, expect: 'allow' })
  const tests = [at('key:desk', 'docs/find'), at('key:desk', 'payments/pay'), at('person:ann', 'docs/find')]
  const loaded = await configFromValue({ ...SERVERS, auth, views, policy: { tests } } as never)
  expect(loaded.tests).toMatchObject([
    { passed: true },
    { decided: 'deny', by: 'by the view "desk"' },
    { decided: 'deny', by: 'by the view "desk"' },
  ])
})

it('warns of names in tests that are not there', async () => {
  const test = { call: 'paymnts/pay', view: 'dsk', rule: 'large refund', expect: 'deny' }
  const problems = problemsOf(await load({ rules: RULES, tests: [test] }))
  expect(problems.map(({ path, fix }) => [path, fix])).toEqual(
    expect.arrayContaining([
      ['policy.tests[0].call', 'Did you mean "payments"?'],
      ['policy.tests[0].view', 'Known: payments, docs'],
      ['policy.tests[0].rule', 'Did you mean "large refunds"?'],
    ]),
  )
})
