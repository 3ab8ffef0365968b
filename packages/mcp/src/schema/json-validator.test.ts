import { jsonValidator as chosen } from '#json-validator'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonValidator as ajv } from './ajv-validator.node.ts'
import { jsonValidator as cfworker } from './cfworker-validator.ts'
import { checkSchema } from './check-schema.ts'
import { copySchema } from './copy-schema.ts'
import { describeIssues, type Validation } from './issues.ts'
import { generatedSchemas, generatedValues } from './generated-schemas.test.support.ts'
import { createJsonValidation } from './json-validation.ts'
import type { JsonValidator } from './json-validator.ts'
import { cpuTime } from '../testing/fixtures/cpu-time.test.node.ts'

const VALIDATORS: Record<string, JsonValidator> = { ajv, cfworker }

function compile(validator: JsonValidator, schema: object): (value: unknown) => Validation {
  const checked = checkSchema(copySchema(schema), { lenient: true })
  return createJsonValidation(() => checked, validator)
}

describe.each(Object.entries(VALIDATORS))('validation with %s', (_, validator) => {
  const accepts = (schema: object, value: unknown): boolean => compile(validator, schema)(value).ok
  const refusal = (schema: object, value: unknown): string => {
    const result = compile(validator, schema)(value)
    return result.ok ? 'accepted' : describeIssues(result.issues)
  }

  it.each<[object, unknown[], unknown[]]>([
    [{ type: 'integer', minimum: 0, exclusiveMaximum: 5 }, [0, 4, 4.0], [-1, 5, 1.5, '1', null]],
    [{ type: ['string', 'null'], minLength: 2 }, ['ab', '😀😀', null], ['a', '😀', 1]],
    [{ enum: ['a', 1, null, { b: [1] }] }, ['a', 1, null, { b: [1] }], ['b', { b: [2] }]],
    [{ const: { a: [1, 2] } }, [{ a: [1, 2] }], [{ a: [2, 1] }, null]],
    [{ multipleOf: 0.1 }, [0.3, 1, 'x'], [0.25]],
    [
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
      [['a']],
      [[], ['a', 'b', 'c'], [1]],
    ],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [['a', 1], []], [['a', 'b'], [1]]],
    [
      { uniqueItems: true },
      [
        [1, 2, '1'],
        [{ a: 1 }, { a: 2 }],
      ],
      [
        [1, 1],
        [{ a: 1 }, { a: 1 }],
      ],
    ],
    [
      { contains: { type: 'number' }, minContains: 2, maxContains: 3 },
      [
        [1, 2],
        [1, 'a', 2, 3],
      ],
      [[1], [1, 2, 3, 4]],
    ],
    [{ contains: { type: 'number' }, minContains: 0 }, [[], ['a']], []],
    [
      { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
      [{ 'x-a': 'b' }],
      [{ a: 1 }],
    ],
    [
      {
        patternProperties: { 'f.*o': { type: 'string' } },
        properties: { a: {} },
        additionalProperties: false,
      },
      [{ fxo: 'b', a: 1 }],
      [{ fo: 1 }, { b: 1 }],
    ],
    [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 2, c: 3 }]],
    [{ dependentRequired: { a: ['b'] } }, [{ a: 1, b: 2 }, { b: 1 }], [{ a: 1 }]],
    [{ dependentSchemas: { a: { required: ['b'] } } }, [{ a: 1, b: 2 }, {}], [{ a: 1 }]],
    [{ dependencies: { a: ['b'], c: { required: ['d'] } } }, [{ a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
    [{ not: { type: 'string' } }, [1], ['a']],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, ['a', 1], [null]],
    [{ oneOf: [{ minimum: 0 }, { maximum: 10 }] }, [-1, 11], [5]],
    [
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
      { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1 }, {}],
    ],
    [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
    [{ prefixItems: [true], unevaluatedItems: false }, [[1]], [[1, 2]]],
    [{ contains: { type: 'string' }, unevaluatedItems: false }, [['a', 'b']], [['a', 1]]],
    [
      { if: { properties: { a: { const: 1 } }, required: ['a'] }, unevaluatedProperties: false },
      [{ a: 1 }],
      [{ a: 2 }],
    ],
    [{ properties: { a: false } }, [{}], [{ a: 1 }]],
    [{ type: 'string', format: 'email' }, ['a@b.co'], ['a@', 'x']],
    [{ type: 'string', format: 'date-time' }, ['2026-07-28T10:00:00Z'], ['2026-07-28', 'x']],
    [{ type: 'string', format: 'uri' }, ['https://a.b/c?d#e'], ['not a uri']],
    [{ type: 'string', format: 'made-up' }, ['anything'], [1]],
    [{ type: 'string', pattern: '^[a-z]+$' }, ['abc'], ['ABC', '']],
    [{ type: 'string', pattern: '^([a-z]+\\.)*[a-z]+$', format: 'hostname' }, ['a.b.c'], ['a..b', '.']],
    [{ type: 'string', pattern: '^\\d{3}\\-\\d$' }, ['123-4'], ['1234']],
  ])('%j', (schema, good, bad) => {
    for (const value of good) expect([value, refusal(schema, value)]).toEqual([value, 'accepted'])
    for (const value of bad) expect([value, accepts(schema, value)]).toEqual([value, false])
  })

  it('follows references by pointer, anchor and inner id', () => {
    const schema = {
      $id: 'https://example.com/tool.json',
      $defs: {
        'a/b~c %': { type: 'string' },
        named: { $anchor: 'here', type: 'integer' },
        inner: {
          $id: 'inner.json',
          $defs: { x: { type: 'boolean' } },
          properties: { z: { $ref: '#/$defs/x' } },
        },
        later: { $dynamicAnchor: 'dyn', type: 'null' },
      },
      'x-odd': { place: { type: 'array' } },
      properties: {
        a: { $ref: '#/$defs/a~1b~0c%20%25' },
        b: { $ref: '#here' },
        c: { $ref: 'inner.json' },
        d: { $ref: 'https://example.com/inner.json#/$defs/x' },
        e: { $ref: '#/x-odd/place' },
        f: { $dynamicRef: '#dyn' },
        g: { $ref: 'tool.json#/properties/b', minimum: 3 },
      },
    }
    expect(refusal(schema, { a: 'x', b: 1, c: { z: true }, d: false, e: [], f: null, g: 3 })).toBe('accepted')
    for (const [key, value] of Object.entries({ a: 1, b: 1.5, c: { z: 1 }, d: 1, e: {}, f: 0, g: 2 })) {
      expect([key, accepts(schema, { [key]: value })]).toEqual([key, false])
    }
  })

  it('follows recursion', () => {
    const schema = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false }
    expect(accepts(schema, { next: { next: {} } })).toBe(true)
    expect(refusal(schema, { next: { next: { x: 1 } } })).toBe(
      'Invalid arguments: "next.next.x" is not allowed',
    )
  })

  it('reads draft-07 by its own rules', () => {
    const draft = { $schema: 'http://json-schema.org/draft-07/schema#' }
    const tuple = { ...draft, items: [{ type: 'string' }], additionalItems: { type: 'number' } }
    expect(accepts(tuple, ['a', 1])).toBe(true)
    expect(accepts(tuple, ['a', 'b'])).toBe(false)
    // Beside `$ref` nothing counts, and newer keywords are unknown.
    const ref = { ...draft, definitions: { s: { $id: '#s', type: 'string' } }, $ref: '#s', maxLength: 1 }
    expect(accepts(ref, 'long')).toBe(true)
    expect(accepts(ref, 1)).toBe(false)
    expect(accepts({ ...draft, dependentRequired: { a: ['b'] }, prefixItems: [false] }, { a: 1 })).toBe(true)
  })

  it('treats names of the object prototype as ordinary names', () => {
    const schema =
      JSON.parse(`{ "type": "object", "required": ["constructor", "__proto__"], "additionalProperties": false,
      "properties": { "constructor": { "type": "string" }, "toString": { "type": "number" }, "__proto__": { "type": "string" } } }`)
    expect(accepts(schema, JSON.parse('{ "constructor": "a", "__proto__": "b" }'))).toBe(true)
    expect(accepts(schema, {})).toBe(false)
    expect(accepts(schema, JSON.parse('{ "constructor": "a", "__proto__": 1 }'))).toBe(false)
    expect(refusal(schema, {})).toContain('"constructor" is required; "__proto__" is required')
  })

  it('checks conditions within conditions', () => {
    const inner = { if: { anyOf: [false] } }
    const schema = { if: { anyOf: [{ additionalProperties: false }], not: true }, else: inner }
    expect(accepts(schema, [])).toBe(true)
  })

  it('keeps two slow expressions apart', () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' }, b: { pattern: '^(b+)+$' } } }
    expect(accepts(schema, { a: 'aa', b: 'bb' })).toBe(true)
    expect(accepts(schema, { a: 'bb' })).toBe(false)
    expect(accepts(schema, { b: 'aa' })).toBe(false)
  })

  describe('stays within bounds', () => {
    it('when an expression would backtrack for ever', () => {
      const started = cpuTime()
      expect(accepts({ pattern: '^(a+)+$' }, `${'a'.repeat(2_000)}!`)).toBe(false)
      expect(cpuTime() - started).toBeLessThan(2_000)
    })

    it('when references double with every level of the value', () => {
      const twice = { $ref: '#/$defs/n' }
      const schema = { $defs: { n: { properties: { x: { allOf: [twice, twice] } } } }, $ref: '#/$defs/n' }
      let value: unknown = {}
      for (let depth = 0; depth < 60; depth++) value = { x: value }
      const started = cpuTime()
      expect(refusal(schema, value)).toMatch(/cannot be checked: .*too many times/)
      expect(cpuTime() - started).toBeLessThan(15_000)
    })

    it('when definitions double without going into the value', () => {
      const $defs: Record<string, object> = { d0: { type: 'object' } }
      for (let i = 1; i <= 40; i++)
        $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] }
      expect(refusal({ $defs, $ref: '#/$defs/d40' }, {})).toMatch(/cannot be checked/)
    })

    it('when a value is nested beyond the stack', () => {
      const schema = { $defs: { n: { items: { $ref: '#/$defs/n' } } }, $ref: '#/$defs/n' }
      let value: unknown = []
      for (let depth = 0; depth < 200_000; depth++) value = [value]
      expect(refusal(schema, value)).toMatch(/cannot be checked: nested too deeply/)
    })

    it('when a long list must be unique', () => {
      const list = Array.from({ length: 100_000 }, (_, index) => ({ index }))
      expect(refusal({ uniqueItems: true }, list)).toMatch(/at most 5000 items/)
    })

    it('when a value is wrong a million times', () => {
      const list = Array.from({ length: 1_000_000 }, () => 1)
      const result = compile(validator, { items: { type: 'string' } })(list)
      expect(result.ok ? [] : result.issues).toHaveLength(20)
    })

    it('when references form a long chain', () => {
      const $defs: Record<string, object> = { d0: { type: 'string' } }
      for (let i = 1; i < 3_900; i++) $defs[`d${i}`] = { $ref: `#/$defs/d${i - 1}` }
      const check = compile(validator, { $defs, $ref: '#/$defs/d3899' })
      expect(check(1).ok).toBe(false)
    })

    it('when an object has thousands of properties', () => {
      const names = Array.from({ length: 3_900 }, (_, index) => `p${index}`)
      const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
      const check = compile(validator, { type: 'object', properties, required: names.slice(0, 2) })
      expect(check({ p0: 'a', p1: 'b' }).ok).toBe(true)
      expect(check({ p0: 'a', p1: 1 }).ok).toBe(false)
    })
  })
})

describe('the two validators', () => {
  it('are chosen by the runtime', () => {
    expect(chosen).toBe(ajv)
  })

  it('agree on generated schemas and values, and every refusal is explained', () => {
    fc.assert(
      fc.property(generatedSchemas(), generatedValues, (document, values) => {
        const first = compile(ajv, document)
        const second = compile(cfworker, document)
        for (const sample of values) {
          const result = first(sample)
          expect(second(sample)).toEqual(result)
          if (!result.ok) expect(describeIssues(result.issues)).not.toContain('does not match the schema')
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 100) },
    )
  })
})
