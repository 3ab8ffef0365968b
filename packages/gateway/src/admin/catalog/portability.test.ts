import { describe, expect, it } from 'vitest'
import { lintTool } from './portability.ts'

const tool = (inputSchema: object, more: object = {}) => ({
  name: 'search',
  description: 'Searches',
  inputSchema: { type: 'object', ...inputSchema },
  ...more,
})
const codes = (definition: Record<string, unknown>) => lintTool(definition).map(({ code }) => code)
const property = (schema: object) => tool({ properties: { it: schema } })

describe('lintTool', () => {
  it('finds nothing in what every client takes', () => {
    expect(codes(property({ type: 'string', format: 'date-time', enum: ['a', 'b'] }))).toEqual([])
  })

  it.each<[string, Record<string, unknown>]>([
    ['name-too-long', tool({}, { name: 'x'.repeat(65) })],
    ['name-long', tool({}, { name: 'x'.repeat(61) })],
    ['name-characters', tool({}, { name: 'a.b c' })],
    ['no-description', tool({}, { description: undefined })],
    ['description-too-long', tool({}, { description: 'x'.repeat(1025) })],
    ['no-object', tool({ type: undefined })],
    ['top-level-union', tool({ oneOf: [{ required: ['a'] }] })],
    ['top-level-union', tool({ anyOf: [{ required: ['a'] }] })],
    ['reference', property({ $ref: '#/$defs/it' })],
    ['type-list', property({ type: ['string', 'null'] })],
    ['array-without-items', property({ type: 'array' })],
    ['format', property({ type: 'string', format: 'uri' })],
    ['enum-of-others', property({ enum: [1, 2] })],
    ['keyword', property({ type: 'object', patternProperties: { '^x': {} } })],
    ['property-name', tool({ properties: { 'a b': { type: 'string' } } })],
    ['reference', property({ type: 'array', items: { anyOf: [{ $ref: '#/$defs/it' }] } })],
  ])('%s', (code, definition) => {
    expect(codes(definition)).toEqual([code])
  })

  it('says where it stands, and ends with a schema that does not', () => {
    const [found] = lintTool(property({ type: 'array', items: { type: 'string', format: 'uri' } }))
    expect(found).toMatchObject({ where: 'inputSchema.properties.it.items.format', clients: ['Gemini'] })
    const endless: Record<string, unknown> = { type: ['object', 'null'] }
    endless.items = endless
    expect(lintTool(property(endless)).length).toBeLessThan(40)
  })
})
