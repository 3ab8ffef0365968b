import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonValidator as ajv } from './ajv-validator.node.ts'
import { checkSchema } from './check-schema.ts'
import { compileSchema } from './compile-schema.ts'
import { copySchema } from './copy-schema.ts'
import { generatedSchemas, generatedValues } from './generated-schemas.test.support.ts'
import type { Check } from './json-validator.ts'
import { createQuickCheck } from './quick-check.ts'
import { toValidationSchema, type ValidationSchema } from './validation-schema.ts'

function prepare(schema: object): ValidationSchema {
  return toValidationSchema(checkSchema(copySchema(schema), { lenient: true }))
}

function quick(schema: object): Check {
  const check = createQuickCheck(prepare(schema))
  if (check === undefined) throw new Error('not a schema for quick checks')
  return check
}

/** What the generator has of the keywords that the quick check knows. */
const KEYWORDS = `type minimum exclusiveMaximum maxLength enum maxItems required maxProperties properties
  additionalProperties items allOf anyOf`.split(/\s+/)

describe('the quick check', () => {
  it('says what Ajv says, whatever is made of the keywords that it knows', () => {
    let passed = 0
    fc.assert(
      fc.property(generatedSchemas(...KEYWORDS), generatedValues, (document, values) => {
        const conforms = ajv.compile(prepare(document))
        const check = quick(document)
        for (const value of values) {
          expect([value, check(value)]).toEqual([value, conforms(value)])
          if (check(value)) passed += 1
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 300) },
    )
    expect(passed).toBeGreaterThan(20)
  })

  it.each<[object, unknown[], unknown[]]>([
    [
      { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] },
      [{ text: 'a' }, { text: '😀', more: 1 }],
      [{}, { text: '' }, { text: 1 }, [], null, 'text', undefined],
    ],
    [{ type: 'string', maxLength: 2 }, ['😀😀', '\uD800\uD800'], ['😀😀😀', 'abc']],
    [
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      [{}, { a: 1 }],
      [{ b: 1 }, { constructor: 1 }, JSON.parse('{ "__proto__": 1 }')],
    ],
    [{ additionalProperties: { type: 'integer' } }, [{ a: 1, b: -0 }, 'x', []], [{ a: 1.5 }, { a: null }]],
    [{ required: ['constructor'] }, [{ constructor: 1 }, 7], [{}]],
    [{ type: ['number', 'null'] }, [0, 1e308, null], ['0', false]],
    [{ enum: ['a', 1, null] }, ['a', 1, null], ['1', true, undefined]],
    [{ type: 'array', items: { type: 'string' }, minItems: 1 }, [['a']], [[], [1], new Array(2), { 0: 'a' }]],
    [{ anyOf: [{ type: 'string' }, { type: 'integer', minimum: 3 }] }, ['a', 3], [2, null]],
    [{ allOf: [{ required: ['a'] }, { maxProperties: 1 }] }, [{ a: 1 }], [{ a: 1, b: 2 }, { b: 1 }]],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', title: 't', 'x-own': 1, format: 'odd' }, [1], []],
  ])('%j', (schema, good, bad) => {
    const check = quick(schema)
    const conforms = ajv.compile(prepare(schema))
    for (const value of good) expect([value, check(value), conforms(value)]).toEqual([value, true, true])
    for (const value of bad) expect([value, check(value), conforms(value)]).toEqual([value, false, false])
  })

  it('is not sure of what only a validator can compare', () => {
    const check = quick({ properties: { a: { enum: [{ b: 1 }, 'c'] }, d: { const: [1] } } })
    expect([{ a: 'c' }, { a: { b: 1 } }, { d: [1] }].map(check)).toEqual([true, false, false])
    expect(quick({ type: 'number' })(Number.NaN)).toBe(false)
    // A member that is undefined counts as missing: the validator knows, and the quick check need not.
    expect(quick({ properties: { a: { type: 'string' } } })({ a: undefined })).toBe(false)
    expect(quick({ required: ['a'] })({ a: undefined })).toBe(false)
  })

  it.each<object>([
    { not: {} },
    { oneOf: [{}] },
    { if: {}, else: {} },
    { pattern: '^a' },
    { format: 'email' },
    { multipleOf: 2 },
    { uniqueItems: true },
    { prefixItems: [{}] },
    { patternProperties: { a: {} } },
    { $ref: '#/$defs/a', $defs: { a: {} } },
    { properties: { deep: { items: { contains: {} } } } },
    JSON.parse('{ "properties": { "__proto__": { "type": "string" } } }'),
  ])('leaves %j to the validator', (schema) => {
    expect(createQuickCheck(prepare(schema))).toBeUndefined()
  })

  it('answers at once, and hands over for good at the first value that does not pass', async () => {
    const { validate } = compileSchema({ properties: { a: { type: 'string' } } }, { io: 'input' })
    const good = { a: 'b' }
    expect(validate(good)).toEqual({ ok: true, value: good })
    expect(await validate({ a: 1 })).toEqual({
      ok: false,
      issues: [{ path: 'a', message: 'must be string' }],
    })
    expect(validate(good)).toEqual({ ok: true, value: good })
  })
})
