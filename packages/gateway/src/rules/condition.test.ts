import { describe, expect, it } from 'vitest'
import { compileCondition } from './condition.ts'
import { Facts, KnownCall, KnownCaller, type Caller, type PolicyObject } from './facts.ts'

const CALLER: Caller = {
  auth: {
    principal: { kind: 'person', issuer: 'https://id.example.com', subject: 'ann' },
    scopes: ['read'],
    claims: { groups: ['support'], team: 'eu', level: 3, nested: { a: [1, 2] }, constructor: 'x' },
    clientId: 'app',
  },
  client: { info: { name: 'cursor', version: '1.0' }, version: '2026-07-28' },
  view: 'sales',
}
const TOOL: PolicyObject = {
  kind: 'tools',
  target: 'payments',
  name: 'create_refund',
  item: { annotations: { destructiveHint: false, readOnlyHint: 'yes' } },
}

/** What an expression says of a call with arguments, or of a list without. */
async function truth(
  source: string,
  { args, caller = CALLER, object = TOOL, now = new Date('2026-11-16T10:00:00Z'), count = 0 }: Scene = {},
): Promise<string> {
  const condition = await compileCondition(source)
  const call = args && new KnownCall({ args, now, count: () => count })
  return condition.evaluate(new Facts({ caller: new KnownCaller(caller), object, call }))
}
interface Scene {
  args?: Record<string, unknown>
  caller?: Caller
  object?: PolicyObject
  now?: Date
  count?: number
}

describe('a condition', () => {
  it.each([
    ['principal.kind == "person" && principal.subject == "ann"', 'yes'],
    ['principal.issuer.endsWith("example.com") && "read" in principal.scopes', 'yes'],
    ['"support" in groups', 'yes'],
    ['claims.team == "eu" && claims.level > 2', 'yes'],
    ['claims.nested.a[1] == 2', 'yes'],
    ['claims.constructor == "x"', 'yes'],
    ['has(claims.toString)', 'no'],
    ['claims.__proto__ == 1', 'fails'],
    ['client.name == "cursor" && client.id == "app" && era == "modern" && view == "sales"', 'yes'],
    ['target == "payments" && tool == "create_refund" && kind == "tool" && uri == ""', 'yes'],
    ['annotations.destructiveHint', 'no'],
    ['annotations.readOnlyHint', 'no'],
    ['annotations.openWorldHint', 'yes'],
    ['claims.missing == 1', 'fails'],
    ['claims.?missing.orValue("") == ""', 'yes'],
    ['claims.team', 'fails'],
  ])('knows of a list: %s is %s', async (source, expected) => {
    expect(await truth(source)).toBe(expected)
  })

  it.each([
    ['args.amount > 500', 'maybe'],
    ['args.amount > 500 && tool == "other"', 'no'],
    ['tool == "other" && args.amount > 500', 'no'],
    ['args.amount > 500 || tool == "create_refund"', 'yes'],
    ['!(args.amount > 500)', 'maybe'],
    ['has(args.amount) ? true : false', 'maybe'],
    ['args.x == 1 || claims.missing == 2', 'maybe'],
    ['claims.missing == 2 || args.x == 1', 'maybe'],
    ['claims.missing == 2 ? args.x : args.y', 'fails'],
    ['now > timestamp("2020-01-01T00:00:00Z")', 'maybe'],
    ['count("1h") < 10', 'maybe'],
    ['size(args) == 0', 'maybe'],
    ['args.?x.orValue(1) == 1', 'maybe'],
    ['[1, 2].exists(x, x == args.n)', 'maybe'],
    ['[1, 2].exists(x, x == 2 || args.n == 1)', 'yes'],
  ])('leaves open what arguments decide: %s is %s', async (source, expected) => {
    expect(await truth(source)).toBe(expected)
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['args.amount > 500', { amount: 900 }, 'yes'],
    ['args.amount > 500', { amount: 500 }, 'no'],
    ['args.amount > 500', { amount: 500.5 }, 'yes'],
    ['args.amount > 500', { amount: '900' }, 'fails'],
    ['args.amount > 500', {}, 'fails'],
    ['args.amount * 1.5 > 4', { amount: 3 }, 'yes'],
    ['args.amount % 2 == 0', { amount: 4 }, 'yes'],
    ['args.amount == 4', { amount: 4 }, 'yes'],
    ['"amount" in args', { amount: null }, 'yes'],
    ['has(args.constructor) || has(args.toString)', {}, 'no'],
    [
      'args.constructor == "x" && args["__proto__"] == 1',
      JSON.parse('{"constructor":"x","__proto__":1}'),
      'yes',
    ],
    ['args.items.all(i, i.price < 10)', { items: [{ price: 1 }, { price: 9.5 }] }, 'yes'],
    ['args.exists(name, name.startsWith("x"))', { a: 1, xy: 2 }, 'yes'],
    ['args.repo.matches("^sandbox-[a-z]+$")', { repo: 'sandbox-a' }, 'yes'],
    ['args.repo.matches("^sandbox-[a-z]+$")', { repo: 'x-sandbox-a' }, 'no'],
    ['count("1h") < 1', {}, 'yes'],
    ['now.getHours() == 10', {}, 'yes'],
    ['args.deep == 1 || true', { deep: 'x' }, 'yes'],
  ])('decides about a call: %s with %j is %s', async (source, args, expected) => {
    expect(await truth(source, { args })).toBe(expected)
  })

  it('counts in windows that are longer than a timer can wait', async () => {
    const condition = await compileCondition('count("30d") < 1')
    expect(condition.windows).toEqual([30 * 86_400_000])
  })

  it('reads only the arguments that it names', async () => {
    const args = { amount: 1 }
    Object.defineProperty(args, 'body', { enumerable: true, get: () => expect.unreachable() })
    expect(await truth('args.amount == 1 && args["amount"] == 1 && has(args.amount)', { args })).toBe('yes')
  })

  it.each([
    ['tool ==', 'Unexpected'],
    ['foo == 1', 'Unknown variable: foo'],
    ['principal.subjct == "ann"', 'No such key: subjct'],
    ['tool == 1', 'no such overload'],
    ['size(tool)', 'has to be true or false'],
    ['tool.matches("(")', 'is no pattern'],
    ['tool.matches("(?=x)")', 'is no pattern'],
    ['tool.matches(tool)', 'has to be a text in quotes'],
    ['count(tool) < 1', 'has to be a text in quotes'],
    ['count("soon") < 1', 'is no window'],
    ['[1].all(args, args > 0)', 'is a variable already'],
    [`${'['.repeat(500)}${']'.repeat(500)} == []`, 'depth'],
  ])('is refused when it makes no sense: %s', async (source, message) => {
    await expect(compileCondition(source)).rejects.toThrow(new RegExp(message, 'i'))
  })
})

describe('what a condition may cost', () => {
  const LONG = Array.from({ length: 5_000 }, (_, at) => at)
  let deep: unknown = 1
  for (let level = 0; level < 10_000; level++) deep = { deep }

  it.each<[string, Record<string, unknown>]>([
    ['args.l.all(a, args.l.all(b, args.l.all(c, a + b + c >= 0)))', { l: LONG }],
    ['args.l.all(a, args.l.all(b, args.l.all(c, a + b + c >= 0))) || true', { l: LONG }],
    ['!args.l.exists(a, args.l.exists(b, a in args.l && a == -1))', { l: LONG }],
    ['args.l.map(a, args.l.map(b, args.l)) == []', { l: LONG }],
    ['args.l.all(a, !args.s.contains("b"))', { l: LONG, s: 'a'.repeat(1_000_000) }],
    ['args.s.split("").all(a, args.s.split("").all(b, a == b))', { s: 'a'.repeat(1_000_000) }],
    ['args.s.matches("^(a+)+$")', { s: `${'a'.repeat(1_000_000)}b` }],
    // Such a pattern takes the engine ten times as long as others.
    ['args.s.matches("(?:[a-y]{0,30}){0,30}z[0-9]")', { s: `${'ab'.repeat(5_000)}z!` }],
    ['args.deep == 1', { deep }],
    ['args.l == 1', { l: new Array(20_000).fill(0) }],
    ['args.s == "a"', { s: 'a'.repeat(10_000_000) }],
  ])('is bounded, and what is beyond fails: %s', async (source, args) => {
    const before = process.cpuUsage().user
    expect(await truth(source, { args })).toBe('fails')
    // Without limits it would take minutes.
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(15_000)
  })

  it('is not spent by what it does not name', async () => {
    expect(await truth('args.n == 1', { args: { n: 1, deep, l: LONG, s: 'a'.repeat(10_000_000) } })).toBe(
      'yes',
    )
  })

  it('is enough for patterns over long texts', async () => {
    const s = 'word '.repeat(6_000)
    expect(await truth('args.s.matches("[a-z]{1,16}[0-9]+$")', { args: { s } })).toBe('no')
  })

  it('is enough for loops over lists of thousands', async () => {
    const words = LONG.map((at) => `word ${at}`)
    expect(await truth('args.l.all(a, a.startsWith("word"))', { args: { l: words } })).toBe('yes')
    expect(await truth('args.l.exists(a, a == "word 4999")', { args: { l: words } })).toBe('yes')
  })
})

it('knows claims of every type, and callers without any', async () => {
  const claimed = (groups: unknown): Caller => ({ auth: { ...CALLER.auth!, claims: { groups } as never } })
  expect(await truth('"a" in groups', { caller: claimed('a') })).toBe('yes')
  for (const groups of [1, null, { a: 1 }, [1, ['a']], true, undefined]) {
    expect(await truth('"a" in groups', { caller: claimed(groups) })).toBe('no')
  }
  expect(
    await truth('principal.kind == "anonymous" && principal.subject == "" && groups == []', { caller: {} }),
  ).toBe('yes')
  expect(await truth('era == "modern"', { caller: {} })).toBe('maybe')
  expect(await truth('client.name == "x"', { caller: {} })).toBe('maybe')
})
