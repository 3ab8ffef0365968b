import { describe, expect, it } from 'vitest'
import { checkValue } from './check-value.ts'
import { initialValue } from './initial-value.ts'
import { choicesOf, describeType, isMap, isNullable, resolve, variantsOf, type Schema } from './schema.ts'

const tree: Schema = {
  type: 'object',
  required: ['name', 'children'],
  properties: {
    name: { type: 'string' },
    children: { type: 'array', items: { $ref: '#' } },
    next: { $ref: '#' },
  },
}

describe('resolve', () => {
  it('follows references, keeps what stands beside them, and merges allOf', () => {
    const root: Schema = {
      $defs: { a: { type: 'string', title: 'A' }, b: { required: ['x'], properties: { x: {} } } },
    }
    expect(resolve({ $ref: '#/$defs/a', title: 'B' }, root)).toEqual({ type: 'string', title: 'B' })
    const merged = resolve(
      { allOf: [{ $ref: '#/$defs/b' }, { required: ['y'] }], properties: { y: {} } },
      root,
    )
    expect(merged.required).toEqual(['x', 'y'])
    expect(Object.keys(merged.properties!)).toEqual(['x', 'y'])
  })

  it('ends on circles, foreign references and nonsense', () => {
    const circle: Schema = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }
    expect(resolve({ $ref: '#/$defs/a' }, circle)).toEqual({})
    expect(resolve({ $ref: 'https://elsewhere.invalid/x' }, {})).toEqual({})
    expect(resolve({ $ref: '#/constructor/prototype' }, {})).toEqual({})
    expect(resolve(true, {})).toEqual({})
    expect(resolve({ allOf: [{ $ref: '#' }] }, { allOf: [{ $ref: '#' }] })).toBeDefined()
  })
})

describe('initialValue', () => {
  it('takes defaults, also of what is optional, and only the shape of what is required', () => {
    const schema: Schema = {
      type: 'object',
      required: ['list', 'inner', 'only'],
      properties: {
        limit: { type: 'integer', default: 10 },
        zero: { type: 'integer', default: 0 },
        text: { type: 'string' },
        list: { type: 'array' },
        inner: { type: 'object', properties: { deep: { default: 'x' } } },
        only: { const: 'v2' },
        when: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      },
    }
    expect(initialValue(schema, schema)).toEqual({
      limit: 10,
      zero: 0,
      list: [],
      inner: { deep: 'x' },
      only: 'v2',
      when: null,
    })
  })

  it('does not follow a schema that refers to itself for ever', () => {
    expect(initialValue(tree, tree)).toEqual({ children: [] })
    const endless: Schema = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } }
    expect(JSON.stringify(initialValue(endless, endless)).length).toBeLessThan(500)
  })

  it('begins a root anyOf with its first alternative', () => {
    const schema: Schema = {
      anyOf: [
        { type: 'object', required: ['by'], properties: { by: { const: 'id' }, id: { type: 'string' } } },
        { type: 'object', properties: { name: { type: 'string' } } },
      ],
    }
    expect(initialValue(schema, schema)).toEqual({ by: 'id' })
    expect(variantsOf(schema, schema)).toHaveLength(2)
  })
})

describe('choicesOf', () => {
  it('knows every spelling of an enumeration', () => {
    expect(choicesOf({ enum: ['a', 1], enumNames: ['A', 'One'] }, {})?.map(({ title }) => title)).toEqual([
      'A',
      'One',
    ])
    const titled: Schema = {
      oneOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
    }
    expect(choicesOf(titled, titled)).toEqual([
      { value: 'r', title: 'Red' },
      { value: 'g', title: 'Green' },
    ])
    expect(choicesOf({ oneOf: [{ type: 'string' }] }, {})).toBeUndefined()
    expect(isNullable({ type: ['string', 'null'] }, {})).toBe(true)
    expect(describeType({ anyOf: [{ type: 'string' }, { type: 'null' }] }, {})).toBe('string or null')
  })
})

describe('checkValue', () => {
  const issues = (schema: Schema, value: unknown) =>
    checkValue(schema, schema, value).map(({ path, message }) => `${path} ${message}`)

  it('says what is missing and what does not fit, where it is', () => {
    const schema: Schema = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 2 },
        items: { type: 'array', items: { type: 'integer', maximum: 5 } },
      },
    }
    expect(issues(schema, { items: [1, 9, 'x'] })).toEqual([
      'name is required',
      'items[1] is above 5',
      'items[2] has to be integer',
    ])
    expect(issues(schema, { name: 'ab' })).toEqual([])
  })

  it('accepts any alternative, null where it may be, and values deep in a recursive schema', () => {
    const either: Schema = { anyOf: [{ type: 'string' }, { type: 'null' }] }
    expect(issues(either, null)).toEqual([])
    expect(issues(either, 3)).not.toEqual([])
    expect(
      issues(tree, { name: 'a', children: [{ name: 'b', children: [{ name: 1, children: [] }] }] }),
    ).toEqual(['children[0].children[0].name has to be string'])
  })

  it('does not run long patterns of servers, nor those that cannot be read', () => {
    expect(issues({ type: 'string', pattern: '(' }, 'x')).toEqual([])
    expect(issues({ type: 'string', pattern: '^a$' }, 'b')).toEqual([' does not match ^a$'])
  })
})

describe('maps and lists of types', () => {
  const map: Schema = {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 3 },
    minProperties: 2,
  }

  it('are checked value by value, and by the number of members', () => {
    expect(checkValue(map, map, { a: 'x', b: 'long' })).toEqual([
      { path: 'b', message: 'has over 3 characters' },
    ])
    expect(checkValue(map, map, { a: 'x' })).toEqual([{ path: '', message: 'needs 2 members' }])
    expect([isMap(map), isMap({ additionalProperties: true }), isMap({})]).toEqual([true, false, false])
  })

  it('are alternatives, one for each type but null', () => {
    const schema: Schema = { type: ['integer', 'string', 'null'], minimum: 1 }
    expect(variantsOf(schema, schema)).toEqual([{ type: 'integer' }, { type: 'string' }])
    expect(variantsOf({ type: ['string', 'null'] }, {})).toEqual([])
    expect(describeType(schema, schema)).toBe('integer or string or null')
    expect(checkValue(schema, schema, 'word')).toEqual([])
    expect(checkValue(schema, schema, true)).toEqual([
      { path: '', message: 'has to be integer or string or null' },
    ])
  })
})
