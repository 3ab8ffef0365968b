import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { McpError } from '../jsonrpc/index.ts'
import { checkSchema } from './check-schema.ts'
import { copySchema } from './copy-schema.ts'
import {
  MAX_PATTERN_LENGTH,
  MAX_SCHEMA_DEPTH,
  MAX_SCHEMA_TEXT,
  MAX_SCHEMA_VALUES,
  MAX_SUBSCHEMAS,
} from './limits.ts'
import { toValidationSchema } from './validation-schema.ts'

function problem(schema: object, options?: { lenient?: boolean }): string {
  try {
    checkSchema(copySchema(schema), options)
    return 'none'
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(McpError)
    expect((thrown as McpError).code).toBe('invalid_definition')
    return (thrown as McpError).message
  }
}

describe('schema errors throw at definition', () => {
  it.each<[string, object, RegExp]>([
    ['an unknown type', { type: 'text' }, /"type" "text" is not one of object, array/],
    ['an empty list of types', { type: [] }, /"type" must name at least one/],
    [
      'required as in draft-03',
      { properties: { a: { required: true } } },
      /at \/properties\/a: "required" must be a list/,
    ],
    ['properties as a list', { properties: [] }, /"properties" must map names to schemas/],
    [
      'a property that is no schema',
      { properties: { a: 'string' } },
      /"properties" has "a", which is not a schema/,
    ],
    ['a negative length', { minLength: -1 }, /"minLength" must be an integer from 0 up/],
    ['a fractional count', { maxItems: 1.5 }, /"maxItems" must be an integer/],
    ['a limit as text', { items: { minimum: '1' } }, /at \/items: "minimum" must be a number/],
    ['a multiple of zero', { multipleOf: 0 }, /"multipleOf" must be a number above 0/],
    ['an empty choice', { anyOf: [] }, /"anyOf" must be a list of at least one schema/],
    ['an empty enum', { enum: [] }, /"enum" must be a list of at least one value/],
    ['a list of tuples in 2020-12', { items: [{}] }, /a tuple is written with "prefixItems"/],
    ['a broken expression', { pattern: '(' }, /"pattern" "\(" is not a regular expression/],
    ['a broken expression as a name', { patternProperties: { '[': {} } }, /"patternProperties" "\[" is not/],
    ['a long expression', { pattern: 'a'.repeat(MAX_PATTERN_LENGTH + 1) }, /"pattern" is longer than/],
    ['a back reference', { pattern: '(a)\\1' }, /back reference or look-behind/],
    ['a title that is no text', { title: 7 }, /"title" must be a string/],
    ['dependencies of a wrong kind', { dependentRequired: { a: 'b' } }, /"dependentRequired" must map/],
    [
      'an unknown dialect',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      /dialect .*draft-04.* is not supported/,
    ],
    ['two dialects', { $defs: { a: { $schema: 'http://json-schema.org/draft-07/schema' } } }, /two dialects/],
    ['a fragment in $id', { $id: '#a' }, /"\$id" must not have a fragment/],
    ['an $id that is no URI', { $id: 'http://[' }, /"\$id" .* is not a URI/],
    [
      'a name given twice',
      { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } },
      /the name "#x" is given twice/,
    ],
  ])('%s', (_, schema, expected) => {
    expect(problem(schema)).toMatch(expected)
  })

  it.each<[string, object, RegExp]>([
    [
      'to the network',
      { $ref: 'https://example.com/schema.json' },
      /points outside the document; remote schemas are never fetched/,
    ],
    ['to a file', { $ref: 'file:///etc/passwd' }, /points outside the document/],
    ['to the meta-schema', { $ref: 'https://json-schema.org/draft/2020-12/schema' }, /points outside/],
    ['to a neighbour', { $ref: 'other.json' }, /points outside/],
    ['to nothing', { $ref: '#/$defs/missing' }, /leads to no schema in the document/],
    ['to something that is no schema', { type: 'object', $ref: '#/type' }, /leads to no schema/],
    ['to an unknown anchor', { $ref: '#nowhere' }, /leads to no schema/],
    ['to the prototype', { $ref: '#/constructor' }, /leads to no schema/],
    ['to itself', { $ref: '#' }, /refers to itself for the same value/],
    [
      'in a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
      /refers to itself/,
    ],
    ['dynamic and remote', { $dynamicRef: 'https://example.com/#x' }, /points outside/],
    ['that is no URI', { $ref: 'http://[' }, /is not a URI/],
  ])('a reference %s', (_, schema, expected) => {
    expect(problem(schema)).toMatch(expected)
  })

  it('names the place of a reference', () => {
    expect(problem({ properties: { 'a/b': { items: { $ref: 'http://x.y/z' } } } })).toMatch(
      /at \/properties\/a~1b\/items: /,
    )
  })

  it('accepts what the dialects allow', () => {
    for (const schema of [
      {},
      { properties: {}, required: [], additionalProperties: true, 'x-anything': { type: 'nonsense' } },
      { $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: '#/$defs/a', $defs: { a: true } },
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{}],
        definitions: { a: { $id: '#a' } },
        $ref: '#a',
      },
      { properties: { next: { $ref: '#' } } },
      { properties: { $ref: { type: 'string' }, properties: { type: 'object' }, type: { const: 'x' } } },
      { const: { $ref: 'http://not.a/reference' }, default: { type: 'nonsense' }, enum: [{ $ref: 'x' }] },
    ]) {
      expect([schema, problem(schema)]).toEqual([schema, 'none'])
    }
  })

  it('takes from peers what it would not take from an author', () => {
    expect(problem({ items: [{}] }, { lenient: true })).toBe('none')
    expect(problem({ pattern: '(a)\\1' }, { lenient: true })).toBe('none')
    expect(problem({ $ref: 'http://x.y/z' }, { lenient: true })).toMatch(/never fetched/)
  })
})

describe('depth and size are bounded', () => {
  it('depth', () => {
    let deep: object = {}
    for (let level = 0; level < MAX_SCHEMA_DEPTH; level++) deep = { not: deep }
    expect(problem(deep)).toMatch(/nested more than/)
    for (let level = 0; level < 100_000; level++) deep = { not: deep }
    expect(problem(deep)).toMatch(/nested more than/)
  })

  it('cycles of objects', () => {
    const schema: Record<string, unknown> = {}
    schema.items = schema
    expect(problem(schema)).toMatch(/nested more than/)
  })

  it('the same object at ever more places', () => {
    let bomb: object = { type: 'string' }
    for (let level = 0; level < 40; level++) bomb = { allOf: [bomb, bomb] }
    expect(problem(bomb)).toMatch(/too large/)
  })

  it('values, text and subschemas', () => {
    expect(problem({ enum: Array.from({ length: MAX_SCHEMA_VALUES }, (_, i) => i) })).toMatch(/too large/)
    expect(problem({ description: 'x'.repeat(MAX_SCHEMA_TEXT + 1) })).toMatch(/too large/)
    expect(problem({ allOf: Array.from({ length: MAX_SUBSCHEMAS }, () => ({})) })).toMatch(
      /more than \d+ subschemas/,
    )
  })

  it('what is not JSON', () => {
    expect(problem({ default: () => 1 })).toMatch(/at \/default: a function is not JSON/)
    expect(problem({ pattern: /a/ })).toMatch(/at \/pattern: a RegExp is not JSON/)
    expect(problem({ default: new Date() })).toMatch(/a Date is not JSON/)
    expect(problem({ maximum: Number.POSITIVE_INFINITY })).toMatch(/Infinity is not JSON/)
    expect(problem({ maximum: 1n })).toMatch(/a bigint is not JSON/)
    expect(problem({ description: undefined })).toBe('none')
  })
})

describe('the structural check', () => {
  const keyword = fc.constantFrom(
    ...'$ref $id $anchor $defs $schema $dynamicRef type enum const pattern properties patternProperties items'.split(
      ' ',
    ),
    ...'prefixItems additionalItems allOf anyOf not if then else required dependencies dependentSchemas'.split(
      ' ',
    ),
    ...'contains minContains uniqueItems maxItems format __proto__ definitions propertyNames x-mcp-header'.split(
      ' ',
    ),
  )
  const leaf = fc.oneof(
    fc.constantFrom(
      '#',
      '#/$defs/a',
      '#a',
      'a',
      '#/allOf/0',
      'object',
      'string',
      '(',
      '^a+$',
      'http://x.y/z',
      0,
      -1,
      1.5,
    ),
    fc.jsonValue({ maxDepth: 1 }),
  )
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('json'), { maxLength: 3 }),
      fc
        .array(fc.tuple(fc.oneof(keyword, fc.constant('a')), tie('json')), { maxLength: 4 })
        .map(Object.fromEntries),
    ),
  }))

  it('throws nothing but McpError, whatever the JSON, and what it accepts can be prepared for validation', () => {
    fc.assert(
      fc.property(fc.dictionary(keyword, json, { maxKeys: 5 }), fc.boolean(), (schema, lenient) => {
        if (problem(schema, { lenient }) === 'none')
          toValidationSchema(checkSchema(copySchema(schema), { lenient }))
      }),
      { numRuns: 3_000 },
    )
  })
})
