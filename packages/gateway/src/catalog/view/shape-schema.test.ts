import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { compileSchema } from '@gantry/mcp/schema'
import type { ViewParameter } from '../../model/index.ts'
import { shapeSchema } from './shape-schema.ts'

const plain: ViewParameter = {
  fixed: undefined,
  default: undefined,
  rename: undefined,
  description: undefined,
  narrow: {},
}
const shapes = (given: Record<string, Partial<ViewParameter>>): Map<string, ViewParameter> =>
  new Map(Object.entries(given).map(([name, one]) => [name, { ...plain, ...one }]))
const secret = shapes({ secret: { fixed: { value: 'x' } } })
const text = { type: 'string' }
const both = { properties: { secret: text, open: text }, required: ['secret', 'open'] }

describe('a fixed parameter', () => {
  it.each<[string, JsonObject]>([
    ['allOf', { type: 'object', allOf: [both] }],
    ['anyOf', { type: 'object', anyOf: [both, { properties: { open: text } }] }],
    ['oneOf in allOf', { allOf: [{ oneOf: [both] }] }],
    ['a definition', { $ref: '#/$defs/Input', $defs: { Input: both } }],
    [
      'a definition of an older draft',
      { allOf: [{ $ref: '#/definitions/a~1b' }], definitions: { 'a/b': both } },
    ],
    ['an anchor', { $ref: '#input', $defs: { Input: { $anchor: 'input', ...both } } }],
    [
      'a definition by another',
      { $ref: '#/$defs/A', $defs: { A: { allOf: [{ $ref: '#/$defs/B' }] }, B: both } },
    ],
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
    ['a condition', { if: { required: ['open'] }, then: both, else: { required: ['secret'] } }],
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
    ['what it is a condition of', { if: { properties: { secret: { const: 'x' } } }, then: both }],
    ['dependents', { properties: { open: text }, dependentSchemas: { secret: both, open: both } }],
    [
      'older dependents',
      { properties: { open: text }, dependencies: { secret: ['open'], open: ['secret'] } },
    ],
    ['names', { properties: both.properties, propertyNames: { enum: ['secret', 'open'] } }],
    ['what is not', { ...both, not: { anyOf: [{ required: ['secret'] }] } }],
    ['examples', { ...both, examples: [{ secret: 'x', open: 'y' }], default: { secret: 'x' } }],
    [
      'a schema that refers to itself',
      { $ref: '#/$defs/A', $defs: { A: { ...both, allOf: [{ $ref: '#/$defs/A' }] } } },
    ],
  ])('is hidden in %s', (_where, schema) => {
    const shown = shapeSchema({ type: 'object', ...schema }, secret)
    expect(JSON.stringify(shown)).not.toContain('secret')
    expect(JSON.stringify(shown)).toContain('"open"')
    expect(compileSchema(shown, { io: 'input' })).toBeDefined()
  })

  it('leaves a definition as it is for other values', () => {
    const node = { properties: { secret: text, child: { $ref: '#/$defs/Node' } } }
    const shown = shapeSchema(
      { type: 'object', $ref: '#/$defs/Node', $defs: { Node: node, Left: text } },
      secret,
    )
    expect(shown).toEqual({
      type: 'object',
      properties: {},
      allOf: [{ properties: { child: { $ref: '#/$defs/Node' } } }],
      $defs: { Node: node },
    })
  })

  it('leaves only the branches that its value fits', () => {
    const branch = (mode: string, name: string): JsonObject => ({
      properties: { mode: { const: mode }, [name]: text },
      required: ['mode', name],
    })
    const schema = { type: 'object', oneOf: [branch('a', 'left'), branch('b', 'right')] }
    expect(shapeSchema(schema, shapes({ mode: { fixed: { value: 'b' } } }))).toEqual({
      type: 'object',
      properties: {},
      allOf: [{ anyOf: [{ properties: { right: text }, required: ['right'] }] }],
    })
    expect(shapeSchema(schema, shapes({ mode: { narrow: { enum: ['a', 'c'] } } })).oneOf).toHaveLength(1)
  })
})

it('narrows a list of values that are objects', () => {
  const schema = { properties: { at: { enum: [{ x: 1 }, { x: 2 }] } } }
  expect(shapeSchema(schema, shapes({ at: { narrow: { enum: [{ x: 2 }] } } }))).toMatchObject({
    properties: { at: { enum: [{ x: 2 }] } },
  })
})

it('defaults, renames and narrows wherever a parameter is declared', () => {
  const schema = {
    type: 'object',
    allOf: [{ $ref: '#/$defs/In' }],
    $defs: { In: { ...both, properties: { ...both.properties, n: { maximum: 9 } } } },
  }
  const shown = shapeSchema(
    schema,
    shapes({
      secret: { default: { value: 'x' } },
      open: { rename: 'shown', description: 'D' },
      n: { narrow: { maximum: 3 } },
    }),
  )
  expect(shown).toEqual({
    type: 'object',
    properties: {},
    allOf: [
      {
        allOf: [
          {
            properties: {
              secret: { ...text, default: 'x' },
              shown: { ...text, description: 'D' },
              n: { maximum: 3 },
            },
            required: ['shown'],
          },
        ],
      },
    ],
  })
})

it('has an end for definitions that double', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` }
      return [`d${at}`, at === 39 ? both : { allOf: [next, next] }]
    }),
  )
  const shown = shapeSchema({ type: 'object', $ref: '#/$defs/d0', $defs }, secret)
  expect(JSON.stringify(shown)).not.toContain('secret')
})

const NAMES = ['a', 'b', 'c', 'd'] as const
const property = fc.oneof(
  fc.constantFrom<JsonObject>({}, { type: 'string' }, { type: 'number' }),
  fc.subarray(['x', 'y', 1, 2], { minLength: 1 }).map((all) => ({ enum: all })),
  fc.constantFrom('x', 'y', 1).map((one) => ({ const: one })),
)
/** A schema of one to three keywords: with more at once hardly any call would do. */
function withSome(keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  const one = Object.entries(keywords).map(([key, value]) => value.map((given) => ({ [key]: given })))
  return fc.array(fc.oneof(...one), { minLength: 1, maxLength: 3 }).map((all) => Object.assign({}, ...all))
}
const name = fc.constantFrom(...NAMES)
const plainKeywords = {
  properties: fc.dictionary(name, property, { maxKeys: 3 }),
  required: fc.uniqueArray(name, { maxLength: 2 }),
  dependentRequired: fc.dictionary(name, fc.tuple(name), { maxKeys: 1 }),
  minProperties: fc.nat(3),
  maxProperties: fc.integer({ min: 1, max: 4 }),
}
const base = withSome(plainKeywords)
const { schema } = fc.letrec<{ schema: JsonObject; parts: JsonObject[] }>((tie) => ({
  parts: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
  schema: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    base,
    withSome({
      ...plainKeywords,
      propertyNames: fc.subarray([...NAMES], { minLength: 2 }).map((all) => ({ enum: all })),
      allOf: tie('parts'),
      anyOf: tie('parts'),
      oneOf: tie('parts'),
      not: tie('schema'),
      if: tie('schema'),
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
      then: tie('schema'),
      else: tie('schema'),
      dependentSchemas: fc.dictionary(name, tie('schema'), { maxKeys: 1 }),
      $ref: fc.constant('#/$defs/Other'),
      additionalProperties: fc.constant(false),
      unevaluatedProperties: fc.constant(false),
    }),
  ),
}))

it('accepts every call that its target would accept with what the view fills in', async () => {
  const view = shapes({ a: { fixed: { value: 'x' } }, b: { default: { value: 1 } }, c: { rename: 'z' } })
  const values = [undefined, 'x', 1]
  const calls = values.flatMap((b) =>
    values.flatMap((z) =>
      values.map((d) =>
        Object.fromEntries(Object.entries({ b, z, d }).filter(([, one]) => one !== undefined)),
      ),
    ),
  )
  const accepts = async (compiled: ReturnType<typeof compileSchema>, value: JsonObject): Promise<boolean> =>
    (await compiled.validate(value)).ok
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(schema, base, async (given, other) => {
      const whole = { ...given, $defs: { Other: other } }
      const shown = shapeSchema(whole, view)
      expect(JSON.stringify(shown)).not.toMatch(/"[ac]"/)
      const own = compileSchema(whole, { io: 'input' })
      const shaped = compileSchema(shown, { io: 'input' })
      for (const { z, ...rest } of calls) {
        const filled = { b: 1, ...rest, a: 'x', ...(z !== undefined && { c: z }) }
        if (!(await accepts(own, filled))) continue
        accepted++
        const call = { ...rest, ...(z !== undefined && { z }) }
        expect(await accepts(shaped, call), JSON.stringify({ shown, call })).toBe(true)
      }
    }),
    { numRuns: 80 },
  )
  expect(accepted).toBeGreaterThan(100)
})

describe('a schema that a hostile target made', () => {
  const many = (count: number, make: (at: number) => unknown): unknown[] =>
    Array.from({ length: count }, (_, at) => make(at))
  const named = (all: unknown[]): JsonObject => Object.fromEntries(all.map((one, at) => [`d${at}`, one]))
  const nested = many(1000, () => 0).reduce<JsonObject>((inner) => ({ x: inner }), {})

  it.each<[string, JsonObject]>([
    ['that denies itself', { allOf: many(400, (at) => ({ title: `t${at}`, not: { $ref: '#' } })) }],
    ['that is one of itself', { oneOf: many(900, (at) => ({ title: `t${at}`, oneOf: [{ $ref: '#' }] })) }],
    ['with very many branches', { anyOf: many(200_000, () => true) }],
    ['with very many properties', { properties: named(many(200_000, () => true)) }],
    [
      'with very many names',
      {
        anyOf: many(20_000, (at) => ({ $ref: `#n${at}` })),
        $defs: named(many(20_000, (at) => ({ $anchor: `n${at}` }))),
      },
    ],
    [
      'that refers into its depth',
      { anyOf: many(1000, (at) => ({ $ref: `#/$defs/x${'/x'.repeat(at)}` })), $defs: { x: nested } },
    ],
    ['that repeats many values', { properties: { secret: { enum: many(100_000, (at) => at) } } }],
  ])('%s is shown without the parameter, in time', (_, given) => {
    const { properties, ...rest } = given
    const schema = {
      ...rest,
      properties: { ...Object(properties), secret: { ...Object(properties).secret } },
    }
    const began = performance.now()
    const shown = shapeSchema(schema as JsonObject, secret)
    expect(performance.now() - began).toBeLessThan(5000)
    expect(Object.keys(shown.properties as JsonObject)).not.toContain('secret')
  })
})
