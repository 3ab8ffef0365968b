import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from './compile.test.support.ts'
import { type Offer, writeTypes } from './write-types.ts'

const NOTHING: Offer = { tools: [], prompts: [], resources: [], templates: [] }
const withTool = (inputSchema: unknown, outputSchema?: unknown, name = 'tool'): string =>
  writeTypes({ ...NOTHING, tools: [{ name, inputSchema, outputSchema }] })
const inputOf = (schema: unknown): string =>
  /input: ([\s\S]*?)\n {6}output/.exec(withTool(schema))![1]!.replaceAll(/\s+/g, ' ')

describe('the type of a schema', () => {
  it.each([
    [
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, required: ['a'] },
      '{ a: string b?: number }',
    ],
    [{ type: 'object' }, '{ [key: string]: unknown }'],
    [undefined, '{ [key: string]: unknown }'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
    [{ type: 'object', additionalProperties: false }, '{ [key: string]: never }'],
    [
      { properties: { a: {} }, additionalProperties: { type: 'string' } },
      '{ a?: unknown [key: string]: unknown }',
    ],
    [{ properties: { a: { type: ['string', 'null'] } } }, '{ a?: string | null }'],
    [{ properties: { a: { type: 'array', items: { enum: ['x', 1, null] } } } }, '{ a?: ("x" | 1 | null)[] }'],
    [
      { properties: { a: { prefixItems: [{ const: 1 }, { type: 'string' }], items: false, minItems: 1 } } },
      '{ a?: [1, string?] }',
    ],
    [
      { properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, required: ['a', 'b'] },
      '{ a: string | number b: unknown }',
    ],
    [{ properties: { a: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, '{ a?: unknown }'],
    [{ allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, '{ a?: unknown } & { b?: unknown }'],
    [
      { properties: { a: { type: 'nonsense' }, b: 7, c: true, d: false } },
      '{ a?: unknown b?: unknown c?: unknown d?: never }',
    ],
    [{ properties: { a: { $ref: 'https://elsewhere.example/x' } } }, '{ a?: unknown }'],
  ])('%j', (schema, expected) => {
    expect(inputOf(schema)).toBe(expected)
  })

  it('refers to itself by name, and is unknown where a circle has no type', () => {
    const tree = {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      $ref: '#/$defs/node',
    }
    const text = withTool(tree)
    expect(text).toContain('type ToolInputNode = {\n  next?: ToolInputNode\n}')
    const circles = {
      $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] } },
    }
    const files = { 'a.ts': text, 'b.ts': withTool({ ...circles, properties: { a: { $ref: '#/$defs/a' } } }) }
    expect(
      compile({
        ...files,
        'c.ts': withTool({ $ref: '#' }),
        'd.ts': withTool({ properties: { me: { $ref: '#' } } }),
      }),
    ).toEqual([])
  })

  it('stays small, whatever refers to whatever', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    )
    expect(withTool({ $defs: doubling, $ref: '#/$defs/d0' }).length).toBeLessThan(5_000_000)
  })
})

/** Text that would be code if it were not written with care. */
const EVIL = [
  '*/ export const evil = 1 /*',
  '"; export const evil = 1; "',
  '`${evil}` \\` ${',
  '@ts-expect-error\n@ts-nocheck\n@ts-ignore',
  'line\u2028break\u2029\u0000\u001b[31m\u202e',
  '\ud800',
  '\\',
  '',
  '__proto__',
  'constructor',
  'a b',
  'ключ',
]

function evilOffer(text: string): Offer {
  const schema = {
    description: text,
    properties: { [text]: { description: text, enum: [text, { [text]: text }] } },
    required: [text],
    $defs: { [text]: {} },
  }
  return {
    server: { name: text, version: text },
    tools: [
      {
        name: text,
        description: text,
        inputSchema: schema,
        outputSchema: { properties: { a: { $ref: `#/$defs/${text}` } }, $defs: { [text]: schema } },
      },
      { name: text, inputSchema: {} },
    ],
    prompts: [
      { name: text, description: text, arguments: [{ name: text, description: text }, { name: text }] },
    ],
    resources: [{ uri: text }, { uri: text }],
    templates: [{ uriTemplate: `${text}{x}${text}` }],
  }
}

describe('text of a server', () => {
  it('is never code', () => {
    const files = Object.fromEntries(EVIL.map((text, at) => [`evil-${at}.ts`, writeTypes(evilOffer(text))]))
    expect(compile(files)).toEqual([])
    for (const text of Object.values(files)) {
      expect(text.match(/^export .*/gm)).toEqual([
        expect.stringMatching(/^export interface App/),
        expect.stringMatching(/^export type ResourceUri/),
      ])
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u2028\u2029\u202e]/)
    }
  })

  it('compiles for schemas of any form', () => {
    const key = fc.constantFrom(
      'type',
      'properties',
      'items',
      'prefixItems',
      'anyOf',
      'allOf',
      'oneOf',
      '$ref',
      'enum',
      'const',
      'required',
      'additionalProperties',
      '$defs',
      'description',
      'minItems',
      'nullable',
      'a',
    )
    const leaf = fc.oneof(
      fc.constantFrom(
        'string',
        'object',
        'array',
        '#',
        '#/$defs/a',
        '#/properties/a',
        '#/anyOf/0',
        '#/items',
        true,
        false,
        null,
        1,
        -0.5,
        1e300,
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    )
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.dictionary(key, tie('schema')),
        fc.array(tie('schema'), { maxLength: 3 }),
      ),
    }))
    const samples = fc.sample(fc.tuple(fc.dictionary(key, schema, { minKeys: 1 }), schema), {
      numRuns: 400,
      seed: 7,
    })
    const files = samples.map(([input, output], at) => [`sample-${at}.ts`, withTool(input, output)])
    expect(compile(Object.fromEntries(files))).toEqual([])
  })
})
