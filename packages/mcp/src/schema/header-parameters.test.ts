import { describe, expect, it } from 'vitest'
import { headerParameters } from './header-parameters.ts'

const annotated = (name: unknown, type: unknown = 'string'): object => ({ type, 'x-mcp-header': name })
const inProperties = (properties: object): { type: string; properties: object } => ({
  type: 'object',
  properties,
})

describe('headerParameters', () => {
  it('finds annotated parameters, nested ones too, in order', () => {
    const schema = inProperties({
      region: annotated('Region'),
      query: { type: 'string' },
      options: inProperties({
        level: annotated('Level', 'integer'),
        'dry run': annotated("x!#$%&'*+-.^_`|~9", 'boolean'),
      }),
    })
    expect(headerParameters(schema)).toEqual({
      ok: true,
      parameters: [
        { path: ['region'], header: 'Region', type: 'string' },
        { path: ['options', 'level'], header: 'Level', type: 'integer' },
        { path: ['options', 'dry run'], header: "x!#$%&'*+-.^_`|~9", type: 'boolean' },
      ],
    })
    expect(headerParameters({ type: 'object' })).toEqual({ ok: true, parameters: [] })
  })

  it.each([
    '',
    'My Region',
    'Region:Primary',
    'Région',
    'Region\t1',
    'a\r\nb',
    'a\n',
    'a/b',
    'a"b',
    7,
    null,
    ['Region'],
  ])('refuses the name %j', (name) => {
    expect(headerParameters(inProperties({ a: annotated(name) }))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('"a"'),
    })
  })

  it.each(['object', 'array', 'null', 'number', ['string', 'null'], undefined])(
    'refuses the type %j',
    (type) => {
      expect(headerParameters(inProperties({ a: { type, 'x-mcp-header': 'A' } }))).toMatchObject({
        ok: false,
      })
    },
  )

  it('wants names that differ by more than case', () => {
    const schema = inProperties({ a: annotated('MyField'), b: inProperties({ c: annotated('myfield') }) })
    expect(headerParameters(schema)).toEqual({ ok: false, reason: '"b.c": "myfield" is already used by "a"' })
  })

  it.each<[string, object]>([
    ['the root', { type: 'string', 'x-mcp-header': 'A' }],
    ['items', inProperties({ a: { items: annotated('A') } })],
    ['properties below items', inProperties({ a: { items: inProperties({ b: annotated('A') }) } })],
    ['prefixItems', inProperties({ a: { prefixItems: [annotated('A')] } })],
    ['items as a list', inProperties({ a: { items: [annotated('A')] } })],
    ['additionalItems', inProperties({ a: { additionalItems: annotated('A') } })],
    ['contains', inProperties({ a: { contains: annotated('A') } })],
    ['oneOf', { oneOf: [inProperties({ a: annotated('A') })] }],
    ['anyOf', { anyOf: [inProperties({ a: annotated('A') })] }],
    ['allOf', { allOf: [inProperties({ a: annotated('A') })] }],
    ['not', { not: inProperties({ a: annotated('A') }) }],
    ['if', { if: inProperties({ a: annotated('A') }) }],
    ['then', JSON.parse('{ "then": { "properties": { "a": { "type": "string", "x-mcp-header": "A" } } } }')],
    ['else', { else: inProperties({ a: annotated('A') }) }],
    ['$defs', { $defs: { a: annotated('A') }, ...inProperties({ a: { $ref: '#/$defs/a' } }) }],
    ['definitions', { definitions: { a: annotated('A') } }],
    ['patternProperties', { patternProperties: { a: annotated('A') } }],
    ['additionalProperties', { additionalProperties: annotated('A') }],
    ['unevaluatedProperties', { unevaluatedProperties: annotated('A') }],
    ['propertyNames', { propertyNames: annotated('A') }],
    ['dependentSchemas', { dependentSchemas: { a: inProperties({ b: annotated('A') }) } }],
  ])('refuses an annotation under %s', (_, schema) => {
    expect(headerParameters(schema as Record<string, unknown>)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/"properties" alone/),
    })
  })

  it('does not take data or property names for annotations', () => {
    const schema = {
      ...inProperties({
        'x-mcp-header': { type: 'string' },
        a: { const: annotated('A'), default: annotated('B') },
      }),
      examples: [annotated('C')],
    }
    expect(headerParameters(schema)).toEqual({ ok: true, parameters: [] })
  })

  it('survives any nesting and any JSON', () => {
    let deep: object = annotated('A')
    for (let level = 0; level < 10_000; level++) deep = inProperties({ a: deep })
    expect(headerParameters(deep as Record<string, unknown>)).toMatchObject({ ok: true })
    const wide = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    )
    expect(headerParameters(inProperties(wide))).toEqual({ ok: true, parameters: [] })
    for (const odd of [
      { properties: null },
      { properties: [1] },
      { properties: { a: 7 } },
      { items: true, allOf: {} },
    ]) {
      expect(headerParameters(odd)).toEqual({ ok: true, parameters: [] })
    }
  })
})
