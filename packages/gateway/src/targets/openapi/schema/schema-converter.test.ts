import { describe, expect, it } from 'vitest'
import { DocumentSet } from '../document/document-set.ts'
import type { JsonObject } from '@gantry/mcp/server'
import { Warnings } from '../warnings.ts'
import { assembleSchema } from './assemble-schema.ts'
import { type Direction, SchemaConverter } from './schema-converter.ts'

function convert(
  schema: unknown,
  options: { schemas?: JsonObject; direction?: Direction; lenient?: boolean; maxBytes?: number } = {},
): JsonObject {
  const { schemas = {}, direction = 'input', lenient = false, maxBytes = 10_000 } = options
  const warnings = new Warnings()
  const documents = DocumentSet.of({ schemas }, warnings)
  const converter = new SchemaConverter(documents, { direction, lenient, warnings })
  return assembleSchema(
    converter.convert({ value: schema, base: documents.root.base }, 'here'),
    converter,
    maxBytes,
  )
}
const ref = (name: string) => ({ $ref: `#/schemas/${name}` })

describe('OpenAPI 3.0 to JSON Schema 2020-12', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable enum',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['not nullable', { type: 'string', nullable: false }, { type: 'string' }],
    [
      'nullable allOf',
      { nullable: true, description: 'd', allOf: [{}] },
      { description: 'd', anyOf: [{ allOf: [{}] }, { type: 'null' }] },
    ],
    ['exclusive bounds', { maximum: 9, exclusiveMaximum: true }, { maximum: 9, exclusiveMaximum: 9 }],
    ['inclusive bounds', { maximum: 9, exclusiveMaximum: false }, { maximum: 9 }],
    ['bounds of 3.1', { exclusiveMinimum: 3 }, { exclusiveMinimum: 3 }],
    ['example', { type: 'string', example: 'x' }, { type: 'string', examples: ['x'] }],
    ['bytes', { type: 'string', format: 'byte' }, { type: 'string', contentEncoding: 'base64' }],
    ['tuples', { items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }],
    [
      'foreign keywords',
      { type: 'string', xml: {}, 'x-y': 1, id: 'z', $schema: 's', discriminator: {} },
      { type: 'string' },
    ],
    ['repeated values', { enum: ['a', 'a'], required: ['b', 'b'] }, { enum: ['a'], required: ['b'] }],
    ['booleans', { additionalProperties: false, items: true }, { additionalProperties: false, items: true }],
  ])('%s', (_, source, schema) => {
    expect(convert(source)).toEqual(schema)
  })

  it('a nullable reference is the reference or null', () => {
    const schema = convert({ ...ref('A'), nullable: true }, { schemas: { A: { type: 'object' } } })
    expect(schema).toEqual({
      anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }],
      $defs: { A: { type: 'object' } },
    })
  })

  it('a property called like a keyword is a property', () => {
    const properties = {
      example: { type: 'string' },
      default: { type: 'integer' },
      $ref: { type: 'string' },
      nullable: {},
    }
    expect(convert({ type: 'object', properties })).toEqual({ type: 'object', properties })
  })

  it('hides by direction, also through a reference, also from required', () => {
    const schemas = { Id: { type: 'integer', readOnly: true } }
    const source = { properties: { id: ref('Id'), pw: { writeOnly: true } }, required: ['id', 'pw'] }
    expect(convert(source, { schemas })).toEqual({
      properties: { pw: { writeOnly: true } },
      required: ['pw'],
    })
    const output = convert(source, { schemas, direction: 'output' })
    expect(output).toMatchObject({ properties: { id: { $ref: '#/$defs/Id' } }, required: ['id'] })
  })

  it('lenient leaves out what answers often break, and allows null', () => {
    const source = {
      type: 'object',
      properties: { a: { type: 'string', enum: ['x'], format: 'uri' } },
      required: ['a'],
    }
    expect(convert(source, { direction: 'output', lenient: true })).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'null'] } },
    })
  })
})

describe('definitions', () => {
  it('recursion stays a reference; each definition is there once', () => {
    const schemas = {
      Node: { type: 'object', properties: { next: ref('Node'), other: ref('Other') } },
      Other: { items: ref('Node') },
    }
    expect(convert({ items: ref('Node') }, { schemas })).toEqual({
      items: { $ref: '#/$defs/Node' },
      $defs: {
        Node: {
          type: 'object',
          properties: { next: { $ref: '#/$defs/Node' }, other: { $ref: '#/$defs/Other' } },
        },
        Other: { items: { $ref: '#/$defs/Node' } },
      },
    })
  })

  it('what is defined by itself is open', () => {
    const schemas = { A: ref('B'), B: { anyOf: [{ type: 'string' }, ref('A')] }, C: { not: ref('C') } }
    expect(convert(ref('A'), { schemas }).$defs).toEqual({ A: {} })
    expect(convert({ items: ref('B') }, { schemas }).$defs).toEqual({ B: {} })
    expect(convert({ items: ref('C') }, { schemas }).$defs).toEqual({ C: {} })
  })

  it('the nearest are kept and the farthest opened when there is no room', () => {
    const schemas = {
      Near: { type: 'object', title: 'Near', properties: { far: ref('Far') } },
      Far: {
        type: 'object',
        title: 'Far',
        description: 'd'.repeat(500),
        properties: { a: { type: 'string' } },
      },
    }
    expect(convert({ items: ref('Near') }, { schemas, maxBytes: 300 }).$defs).toEqual({
      Near: { type: 'object', title: 'Near', properties: { far: { $ref: '#/$defs/Far' } } },
      Far: { type: 'object', title: 'Far', description: 'd'.repeat(200) },
    })
  })

  it('names that would clash are numbered', () => {
    const source = {
      anyOf: [ref('a/x'.replace('/', '~1')), { $ref: '#/schemas/b/x' }, { $ref: '#/schemas/c/x' }],
    }
    const schemas = { 'a/x': { const: 1 }, b: { x: { const: 2 } }, c: { x: { const: 3 } } }
    expect(convert(source, { schemas }).$defs).toEqual({
      a_x: { const: 1 },
      x: { const: 2 },
      x_2: { const: 3 },
    })
  })
})
