import { describe, expect, it } from 'vitest'
import { compileSchema } from './compile-schema.ts'
import { describeIssues, formatPath } from './issues.ts'

async function refusal(schema: object, value: unknown): Promise<string> {
  const result = await compileSchema(schema, { io: 'output' }).validate(value)
  return result.ok ? 'accepted' : describeIssues(result.issues)
}

describe('what a model is told about wrong arguments', () => {
  it('reads as one sentence', () => {
    expect(
      describeIssues([
        { path: 'count', message: 'must be integer' },
        { path: 'name', message: 'is required' },
      ]),
    ).toBe('Invalid arguments: "count" must be integer; "name" is required')
    expect(describeIssues([{ path: '', message: 'must be object' }], 'output')).toBe(
      'Invalid output: must be object',
    )
    expect(describeIssues([{ path: 'a', message: 'Passwords differ' }])).toBe(
      'Invalid arguments: "a": Passwords differ',
    )
  })

  it('writes paths as JavaScript does', () => {
    expect(formatPath(['a', 0, 'b-c', 'd e', Symbol('s')])).toBe('a[0].b-c["d e"]["Symbol(s)"]')
    expect(formatPath([0])).toBe('[0]')
    expect(formatPath(['größe'])).toBe('größe')
  })

  it.each<[object, unknown, string]>([
    [{ type: 'object' }, null, 'must be object'],
    [{ required: ['a', 'b'] }, {}, '"a" is required; "b" is required'],
    [{ properties: { n: { type: 'integer', minimum: 1 } } }, { n: 0 }, '"n" must be at least 1'],
    [
      { properties: { n: { exclusiveMinimum: 1, multipleOf: 2 } } },
      { n: 1 },
      '"n" must be above 1; "n" must be a multiple of 2',
    ],
    [{ properties: { s: { minLength: 2 } } }, { s: '😀' }, '"s" must have at least 2 characters, has 1'],
    [{ properties: { s: { pattern: '^a' } } }, { s: 'b' }, '"s" must match the pattern ^a'],
    [{ properties: { s: { format: 'email' } } }, { s: 'b' }, '"s" must be a valid email'],
    [{ properties: { s: { enum: ['eu', 'us'] } } }, { s: 'asia' }, '"s" must be one of "eu", "us"'],
    [{ properties: { l: { items: { type: 'string' } } } }, { l: ['a', 1] }, '"l[1]" must be string'],
    [{ properties: { l: { uniqueItems: true } } }, { l: [1, 2, 1] }, '"l[2]" repeats an earlier item'],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, '"b" is not allowed'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, '"b" is required when "a" is given'],
    [{ properties: { a: { type: ['string', 'null'] } } }, { a: 1 }, '"a" must be string or null'],
    [
      { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
      { a: 1 },
      '"a" must be string or null',
    ],
    [{ properties: { a: { oneOf: [{ const: 'x' }, { const: 'y' }] } } }, { a: 1 }, '"a" must be "x" or "y"'],
  ])('%j refuses %j', async (schema, value, expected) => {
    expect(await refusal(schema, value)).toBe(`Invalid arguments: ${expected}`)
  })

  it('speaks of the option that was meant', async () => {
    const shapes = {
      oneOf: [
        {
          properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
          required: ['kind', 'radius'],
        },
        { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] },
      ],
    }
    expect(await refusal(shapes, { kind: 'circle', radius: 'big' })).toBe(
      'Invalid arguments: "radius" must be number',
    )
    expect(await refusal(shapes, { kind: 'square' })).toBe('Invalid arguments: "side" is required')
    expect(await refusal(shapes, { kind: 'blob' })).toMatch(
      /none of the allowed forms: \(1\) "radius" is required, "kind" must be "circle"; \(2\)/,
    )
  })
})
