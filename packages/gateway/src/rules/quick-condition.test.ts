import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonReader, type JsonObject } from '@gantry/mcp/exchange'
import { baseEnvironment, compileCondition, parseChecked } from './condition.ts'
import { beginEvaluation, type Node } from './environment.ts'
import { Facts, KnownCall, toField } from './facts.ts'
import { quickAnswer } from './quick-condition.ts'
import { beginWork, Work } from './work.ts'

const environment = baseEnvironment().clone().registerVariable('args', 'map<string, dyn>')
const NAMES = ['a', 'b']
const LITERALS = ['1', '500', '2.5', '"x"', '"xy"', '""', 'true', 'null', '9007199254740993']
const GIVEN = [
  '1',
  '500',
  '500.0',
  '2.5',
  '"x"',
  '"xyz"',
  '1e400',
  'null',
  'true',
  '[1]',
  '{}',
  '9007199254740993',
]

const argument = fc.constantFrom(...NAMES.map((name) => `args.${name}`))
const leaf = fc.oneof(
  argument.map((one) => `has(${one})`),
  fc
    .tuple(argument, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), fc.constantFrom(...LITERALS))
    .map((parts) => parts.join(' ')),
  fc
    .tuple(argument, fc.constantFrom('startsWith', 'endsWith', 'contains'), fc.constantFrom('"x"', '""'))
    .map(([one, test, part]) => `${one}.${test}(${part})`),
  fc.constantFrom('tool == "t"', 'args.a in ["x", "y"]', 'size(args) > 1'),
)
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('expression'), fc.constantFrom('&&', '||'), tie('expression'))
      .map(([l, op, r]) => `(${l} ${op} ${r})`),
    tie('expression').map((inner) => `!(${inner})`),
  ),
}))
const args = fc
  .array(fc.tuple(fc.constantFrom(...NAMES, 'A'), fc.constantFrom(...GIVEN)), { maxLength: 3 })
  .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join()}}`)

function byLibrary(source: string, facts: Facts): unknown {
  const run = parseChecked(source, environment)
  beginWork(new Work())
  beginEvaluation(facts, new Map())
  try {
    return run(facts)
  } catch {
    return undefined
  }
}

it('says what the library says, or nothing', () => {
  let said = 0
  const check = fc.property(expression, args, (source, given) => {
    let node: Node
    try {
      node = parseChecked(source, environment).ast as unknown as Node
    } catch {
      return
    }
    const facts = new Facts({
      object: { kind: 'tools', target: 't', name: 't' },
      call: new KnownCall({ args: jsonReader('source')(given) as JsonObject, now: new Date(0) }),
    })
    facts.fields = NAMES.filter((name) => source.includes(`args.${name}`)).map(toField)
    let answer: boolean | undefined
    try {
      answer = quickAnswer(node)?.(facts)
    } catch {
      return
    }
    if (answer === undefined) return
    said++
    expect(answer, `${source} with ${given}`).toBe(byLibrary(source, facts))
  })
  fc.assert(check, { numRuns: 5000 })
  expect(said).toBeGreaterThan(500)
})

it.each([
  ['has(args.a) && args.a > 1', true],
  ['args.a.startsWith("x") || !has(args.b)', true],
  ['args.a == "x" && tool == "t"', true],
  ['tool == "t"', false],
  ['args.a in ["x"]', false],
])('of %s it has something to say or not', async (source, wanted) => {
  await compileCondition(source)
  expect(quickAnswer(parseChecked(source, environment).ast as unknown as Node) !== undefined).toBe(wanted)
})
