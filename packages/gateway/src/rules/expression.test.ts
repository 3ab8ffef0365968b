import { expect, it } from 'vitest'
import { type JsonObject, jsonReader, writeJson } from '@gantry/mcp/exchange'
import { compileExpression } from './expression.ts'
import { Facts, KnownCall, KnownCaller } from './facts.ts'

const args = jsonReader('source')('{"id":9007199254740993,"long":12345678901234567890123}') as JsonObject
const claims = JSON.parse(
  '{"team":"eu","none":null,"deep":{"list":[1,null]},"__proto__":{"a":1}}',
) as JsonObject
const auth = { principal: { kind: 'person', issuer: 'i', subject: 'ann' }, scopes: ['read'], claims } as const
const facts = new Facts({
  caller: new KnownCaller({ auth, view: '' }),
  object: { kind: 'tools', target: 't', name: 'n', item: {} },
  call: new KnownCall({ args, now: new Date('2026-11-16T10:00:00Z') }),
})

it.each([
  ['claims.team', '"eu"'],
  ['claims.none', 'null'],
  ['claims.deep', '{"list":[1,null]}'],
  ['claims.?team', '"eu"'],
  ['claims.?missing.orValue("us")', '"us"'],
  ['claims.__proto__', '{"a":1}'],
  ['now', '"2026-11-16T10:00:00.000Z"'],
  ['args.id', '9007199254740993'],
  ['9007199254740993', '9007199254740993'],
  ['1u', '1'],
  ['[1, 2.5, {"a": {1: [2]}}]', '[1,2.5,{"a":{"1":[2]}}]'],
  ['principal', '{"kind":"person","issuer":"i","subject":"ann","scopes":["read"]}'],
  ['annotations.readOnlyHint', 'false'],
])('%s is %s', async (source, json) => {
  expect(writeJson((await compileExpression(source)).evaluate(facts))).toBe(json)
})

it('fails when it takes too long, whatever its value is', async () => {
  const expression = await compileExpression(
    'args.list.all(a, args.list.all(b, args.list.all(c, a + b + c >= 0))) || true',
  )
  const list = Array.from({ length: 1000 }, (_, at) => at)
  const long = new Facts({ call: new KnownCall({ args: { list }, now: new Date() }) })
  expect(() => expression.evaluate(long)).toThrow('too long')
})

it.each([
  'claims.?missing',
  'claims.missing',
  'optional.none()',
  '1.0 / 0.0',
  '[0.0 / 0.0]',
  'duration("1h")',
  'b"abc"',
  'type(1)',
])('%s has no value that a call could have', async (source) => {
  const expression = await compileExpression(source)
  expect(() => expression.evaluate(facts)).toThrow()
})
