import { describe, expect, it } from 'vitest'
import { applyDefaults } from './apply-defaults.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    verified: { type: 'boolean', default: false },
    tags: { type: 'array', default: ['a'] },
    plain: { type: 'string' },
    address: { type: 'object', properties: { city: { type: 'string', default: 'Oslo' } } },
    options: { type: 'object', default: {}, properties: { level: { default: 1 } } },
  },
}

describe('applyDefaults', () => {
  it('fills in what is missing and nothing else', () => {
    expect(applyDefaults(SCHEMA, { age: 7 })).toEqual({
      age: 7,
      name: 'John Doe',
      verified: false,
      tags: ['a'],
      options: { level: 1 },
    })
  })

  it('goes into nested objects that are there', () => {
    expect(applyDefaults(SCHEMA, { address: {} })).toMatchObject({ address: { city: 'Oslo' } })
  })

  it('never changes the value or the schema', () => {
    const value = Object.freeze({ address: Object.freeze({}) })
    const filled = applyDefaults<{ tags?: string[] }>(SCHEMA, value as object)
    filled.tags?.push('b')
    expect(value).toEqual({ address: {} })
    expect(SCHEMA.properties.tags.default).toEqual(['a'])
    const full = { a: 1 }
    expect(applyDefaults({ properties: { a: { default: 2 } } }, full)).toBe(full)
  })

  it('keeps null, false and empty text, which are values', () => {
    const value = { name: '', verified: null, age: 0 }
    expect(applyDefaults(SCHEMA, value)).toMatchObject(value)
  })

  it('survives odd schemas and names', () => {
    expect(applyDefaults({ properties: { a: true, b: null } }, {})).toEqual({})
    expect(applyDefaults({}, 7)).toBe(7)
    const schema = JSON.parse(
      '{ "properties": { "__proto__": { "default": { "polluted": true } }, "toString": { "default": "x" } } }',
    )
    const filled = applyDefaults<Record<string, unknown>>(schema, {})
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype)
    expect(Object.hasOwn(filled, '__proto__')).toBe(true)
    expect(filled.toString).toBe('x')
  })
})
