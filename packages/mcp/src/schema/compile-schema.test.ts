import { Type } from 'typebox'
import { type } from 'arktype'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { McpError } from '../jsonrpc/index.ts'
import { compileSchema, describeIssues, type CompiledSchema, type Schema, type Validation } from './index.ts'

const PERSON = { name: 'Ada', age: 36 }
const JSON_SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer' } },
  required: ['name'],
}

const LIBRARIES: Record<string, Schema> = {
  zod: z.object({ name: z.string().min(1), age: z.int().optional() }),
  valibot: v.object({
    name: v.pipe(v.string(), v.minLength(1)),
    age: v.optional(v.pipe(v.number(), v.integer())),
  }),
  'valibot with the trait': toStandardJsonSchema(
    v.object({ name: v.pipe(v.string(), v.minLength(1)), age: v.optional(v.pipe(v.number(), v.integer())) }),
  ),
  arktype: type({ name: 'string > 0', 'age?': 'number.integer' }),
  typebox: Type.Object({ name: Type.String({ minLength: 1 }), age: Type.Optional(Type.Integer()) }),
  'plain JSON Schema': JSON_SCHEMA,
}

describe.each(Object.entries(LIBRARIES))('a schema of %s', (_, schema) => {
  const compiled = compileSchema(schema, { io: 'input' })

  it('becomes JSON Schema', () => {
    expect(compiled.jsonSchema).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer' } },
      required: ['name'],
    })
    expect(compiled.jsonSchema).not.toHaveProperty('$schema')
  })

  it('lets a good value through', async () => {
    expect(await compiled.validate(PERSON)).toEqual({ ok: true, value: PERSON })
  })

  it('names each field that is wrong or missing', async () => {
    const text = describeIssues(issuesOf(await compiled.validate({ age: 1.5 })))
    expect(text).toMatch(/^Invalid arguments: /)
    expect(text).toContain('"name" is required')
    expect(text).toMatch(/"age"[^;]*(integer|int)/)
    expect(text).not.toMatch(/Invalid input|undefined/)
  })

  it('refuses values that are no objects', async () => {
    for (const value of [null, [], 'x', 7]) expect((await compiled.validate(value)).ok).toBe(false)
  })
})

describe('library schemas', () => {
  it('apply their defaults and transformations', async () => {
    const schema = z.object({ n: z.string().transform(Number), m: z.number().default(2) })
    const compiled = compileSchema(schema, { io: 'input' })
    expect(compiled.jsonSchema).toMatchObject({
      properties: { n: { type: 'string' }, m: { default: 2 } },
      required: ['n'],
    })
    expect(await compiled.validate({ n: '1' })).toEqual({ ok: true, value: { n: 1, m: 2 } })
  })

  it('may validate asynchronously', async () => {
    const compiled = compileSchema(z.object({ n: z.number().refine(async (n) => n > 1, 'Too small') }), {
      io: 'input',
    })
    expect(issuesOf(await compiled.validate({ n: 1 }))).toEqual([{ path: 'n', message: 'Too small' }])
  })

  it('are written as what they let through on the output side', () => {
    const schema = z.object({ n: z.number().default(1) })
    expect(compileSchema(schema, { io: 'output' }).jsonSchema).toMatchObject({ required: ['n'] })
    expect(compileSchema(schema, { io: 'input' }).jsonSchema).not.toHaveProperty('required')
  })

  it('throw at definition when they cannot be written as JSON Schema', () => {
    expect(definitionError(z.object({ at: z.date() }))).toMatch(/zod schema cannot be written.*Date/)
    expect(definitionError(v.object({ at: v.date() }))).toMatch(/valibot schema cannot be written/)
  })

  it('without the JSON Schema trait are refused with advice', () => {
    const schema = { '~standard': { version: 1, vendor: 'acme', validate: (value: unknown) => ({ value }) } }
    expect(definitionError(schema)).toMatch(/acme lacks the Standard JSON Schema trait/)
  })

  it('keep a message of their own that is not about a missing field', async () => {
    const schema = z
      .object({ password: z.string(), again: z.string().optional() })
      .refine((value) => value.password === value.again, { message: 'Passwords differ', path: ['again'] })
    const compiled = compileSchema(schema, { io: 'input' })
    expect(issuesOf(await compiled.validate({ password: 'x' }))).toEqual([
      { path: 'again', message: 'Passwords differ' },
    ])
  })

  it('name nested and listed fields', async () => {
    const compiled = compileSchema(z.object({ users: z.array(z.object({ name: z.string() })) }), {
      io: 'input',
    })
    const text = describeIssues(issuesOf(await compiled.validate({ users: [{ name: 'a' }, {}] })))
    expect(text).toBe('Invalid arguments: "users[1].name" is required')
  })

  it('of a shape that was not wrapped get a hint', () => {
    expect(definitionError({ name: z.string() })).toMatch(/at \/name: .*z\.object/)
  })
})

describe('plain JSON Schema', () => {
  it('gets the type object when it has none', () => {
    expect(compileSchema({ properties: { a: {} } }, { io: 'input' }).jsonSchema).toEqual({
      type: 'object',
      properties: { a: {} },
    })
    expect(compileSchema({}, { io: 'output' }).jsonSchema).toEqual({})
    expect(definitionError({ type: 'string' })).toMatch(/must have the type "object", not "string"/)
    expect(compileSchema({ type: 'array' }, { io: 'output' }).jsonSchema).toEqual({ type: 'array' })
  })

  it('is listed as it is, unknown keywords included', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { city: { type: 'string' } } } },
      properties: {
        address: { $ref: '#/$defs/address' },
        region: { type: 'string', 'x-mcp-header': 'Region' },
      },
      allOf: [{ anyOf: [{ required: ['region'] }, { required: ['address'] }] }],
      if: { properties: { region: { const: 'eu' } } },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
      then: { required: ['address'] },
      additionalProperties: false,
      'x-vendor': { anything: [1, { two: null }] },
    }
    expect(JSON.stringify(compileSchema(schema, { io: 'input' }).jsonSchema)).toBe(JSON.stringify(schema))
  })

  it('is copied: what the author changes later has no effect', async () => {
    const schema = structuredClone(JSON_SCHEMA) as { type: string; required: string[] }
    const compiled = compileSchema(schema, { io: 'input' })
    schema.required.push('other')
    expect(compiled.jsonSchema.required).toEqual(['name'])
    expect((await compiled.validate(PERSON)).ok).toBe(true)
  })

  it('answers with a promise while the validator loads and at once afterwards', async () => {
    const compiled = compileSchema(JSON_SCHEMA, { io: 'input' })
    await compiled.validate(PERSON)
    expect(compiled.validate(PERSON)).toEqual({ ok: true, value: PERSON })
  })

  it('throws at definition when it is faulty', () => {
    expect(definitionError({ properties: { a: { type: 'strnig' } } })).toMatch(
      /at \/properties\/a: "type" "strnig"/,
    )
    expect(definitionError({ properties: { a: { $ref: 'https://example.com/a.json' } } })).toMatch(
      /never fetched/,
    )
    for (const value of [null, undefined, 7, 'x', []])
      expect(definitionError(value)).toMatch(/Invalid schema/)
  })
})

describe('TypeBox values', () => {
  it('write tuples as 2020-12 has them', async () => {
    const compiled = compileSchema(Type.Object({ at: Type.Tuple([Type.Number(), Type.Number()]) }), {
      io: 'input',
    })
    expect(compiled.jsonSchema).toMatchObject({
      properties: { at: { prefixItems: [{ type: 'number' }, { type: 'number' }], items: false } },
    })
    expect((await compiled.validate({ at: [1, 2] })).ok).toBe(true)
    expect((await compiled.validate({ at: [1, 2, 3] })).ok).toBe(false)
  })

  it('may be recursive', async () => {
    const schema = Type.Cyclic({ Node: Type.Object({ children: Type.Array(Type.Ref('Node')) }) }, 'Node')
    const compiled = compileSchema(schema, { io: 'input' })
    expect((await compiled.validate({ children: [{ children: [] }] })).ok).toBe(true)
    expect((await compiled.validate({ children: [{ children: 1 }] })).ok).toBe(false)
  })

  it('with codecs or refinements are refused, because these would be skipped', () => {
    const refined = Type.Refine(Type.String(), (value) => value.length > 3)
    expect(definitionError(Type.Object({ a: refined }))).toMatch(/TypeBox codec or refinement/)
  })
})

describe('a foreign schema', () => {
  const foreign = (schema: object): CompiledSchema =>
    compileSchema(schema, { io: 'output', trust: 'foreign' })

  it('is kept as it is', () => {
    const schema = { type: 'object', properties: {} }
    expect(foreign(schema).jsonSchema).toBe(schema)
  })

  it('validates', async () => {
    expect(await foreign(JSON_SCHEMA).validate(PERSON)).toEqual({ ok: true, value: PERSON })
    expect(issuesOf(await foreign(JSON_SCHEMA).validate({}))).toEqual([
      { path: 'name', message: 'is required' },
    ])
  })

  it('with a remote reference never fetches, never throws and never passes', async () => {
    const compiled = foreign({
      type: 'object',
      properties: { a: { $ref: 'http://127.0.0.1:1/canary.json' } },
    })
    expect(issuesOf(await compiled.validate({}))[0]?.message).toMatch(/cannot be checked: .*never fetched/)
    expect(compiled.problem).toMatch(/never fetched/)
  })

  it('in an unknown dialect never passes', async () => {
    const compiled = foreign({ $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' })
    expect(issuesOf(await compiled.validate({}))[0]?.message).toMatch(/dialect .* is not supported/)
  })

  it('may write tuples in the old way', async () => {
    const compiled = foreign({ type: 'array', items: [{ type: 'number' }], additionalItems: false })
    expect((await compiled.validate([1])).ok).toBe(true)
    expect((await compiled.validate([1, 2])).ok).toBe(false)
    expect((await compiled.validate(['x'])).ok).toBe(false)
  })
})

function issuesOf(validation: Validation): { path: string; message: string }[] {
  return validation.ok ? [] : [...validation.issues]
}

function definitionError(schema: unknown): string {
  try {
    compileSchema(schema as Schema, { io: 'input' })
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(McpError)
    expect((thrown as McpError).code).toBe('invalid_definition')
    return (thrown as McpError).message
  }
  throw new Error('the definition was accepted')
}
