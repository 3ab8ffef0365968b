import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyPrincipal, parseObjectPattern, type RuleSet } from '../model/index.ts'
import { compileCondition } from './condition.ts'
import type { Caller, PolicyCall, PolicyObject } from './facts.ts'
import { Permissions } from './permissions.ts'

const SEED = Number(process.env.SEED ?? 20_261_116)

/** Conditions that can be true, false, unknown in a list, or fail. */
const ATOMS = [
  'true',
  'args.n > 1',
  'args.n == 2',
  'has(args.s) && args.s == "x"',
  'args.l.exists(i, i > 1)',
  'size(args) > 1',
  'tool == "a"',
  'target == "one"',
  'kind == "tool"',
  'uri.startsWith("doc://a")',
  'annotations.readOnlyHint',
  '"g" in groups',
  'claims.t == 1',
  'principal.subject == "k"',
  'era == "modern"',
  'now > timestamp("2026-06-01T00:00:00Z")',
  'count("1h") < 2',
]

const condition: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...ATOMS),
    tie('any').map((one) => `!(${one})`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) && (${b})`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) || (${b})`),
    fc.tuple(tie('any'), tie('any'), tie('any')).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
  ),
})).any

const PATTERNS = [
  '*',
  'one',
  'tools:*',
  'one/a',
  'two/*',
  'tools:one/b',
  'prompts:*',
  'resources:*',
  'methods:one/x',
  'o*/?',
]
const patterns = fc.subarray(PATTERNS, { maxLength: 2 })
const rule = fc.record({
  allow: patterns,
  deny: patterns,
  when: fc.option(condition, { nil: undefined }),
  apiKeys: fc.constantFrom([], [], ['k']),
})
const policy = fc.record({
  fallback: fc.constantFrom('allow' as const, 'deny' as const),
  rules: fc.array(rule, { maxLength: 4 }),
})

const HINTS = [{ readOnlyHint: true }, {}]
const OBJECTS: PolicyObject[] = ['one', 'two'].flatMap((target) => [
  ...['a', 'b'].map((name, at) => ({
    kind: 'tools' as const,
    target,
    name,
    item: { annotations: HINTS[at]! },
  })),
  { kind: 'prompts' as const, target, name: 'a' },
  { kind: 'resources' as const, target, name: 'doc://a/1' },
  { kind: 'methods' as const, target, name: 'x' },
])
const ARGUMENTS = [{}, { n: 1 }, { n: 2, s: 'x' }, { n: 3, l: [1, 2] }, { s: 'x', l: [] }, { n: 'text' }]
const CALLS: PolicyCall[] = ARGUMENTS.flatMap((args) =>
  ['2026-01-01T00:00:00Z', '2026-12-01T00:00:00Z'].flatMap((now) =>
    [0, 5].map((count) => ({ args, now: new Date(now), count: () => count })),
  ),
)
const client = { info: { name: 'c', version: '1' }, version: '2026-07-28' } as const
const CALLERS: Caller[] = [
  { auth: undefined, client, view: '' },
  { auth: { principal: keyPrincipal('k'), scopes: [], claims: { groups: ['g'] } }, client, view: '' },
  { auth: { principal: keyPrincipal('z'), scopes: [], claims: { t: 1 } }, client, view: 'one' },
]

async function toSet({
  fallback,
  rules,
}: typeof policy extends fc.Arbitrary<infer T> ? T : never): Promise<RuleSet> {
  const compiled = rules.map(async ({ allow, deny, when, apiKeys }, at) => ({
    name: `rule ${at}`,
    who: { principals: [], scopes: [], apiKeys },
    allow: allow.map(parseObjectPattern),
    deny: deny.map(parseObjectPattern),
    ...(when !== undefined && { when: await compileCondition(when) }),
  }))
  return { fallback, rules: await Promise.all(compiled) }
}

it(`lists whatever can be called somehow (seed ${SEED})`, async () => {
  let listed = 0
  let hidden = 0
  await fc.assert(
    fc.asyncProperty(policy, async (raw) => {
      const set = await toSet(raw)
      for (const caller of CALLERS) {
        const permissions = new Permissions(set, caller)
        for (const object of OBJECTS) {
          const { kind, target } = object
          const callable = CALLS.filter((call) => permissions.verdict(object, call).allowed).length
          const isSeen = permissions.maySee(object)
          if (isSeen) listed++
          else hidden++
          if (callable > 0) expect(isSeen).toBe(true)
          // A target is known to those who can use something of it, and called open only if nothing is kept back.
          if (callable > 0 && kind !== 'methods') expect(permissions.mayCallSome(target, kind)).toBe(true)
          if (permissions.mayCallAll(target, kind) && kind !== 'methods') expect(callable).toBe(CALLS.length)
          if (permissions.isOpen) expect(callable).toBe(CALLS.length)
          // Knowing less of a caller hides nothing from it.
          const lessKnown = new Permissions(set, { auth: caller.auth })
          if (isSeen && kind !== 'methods') expect(lessKnown.maySee(object)).toBe(true)
        }
      }
    }),
    { seed: SEED, numRuns: 150 },
  )
  expect(Math.min(listed, hidden)).toBeGreaterThan(100)
})
