import { type } from 'arktype'
import { Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { McpError } from '../jsonrpc/index.ts'
import { elicitationSchema } from './elicitation-schema.ts'
import type { Schema } from './standard-schema.ts'

describe('elicitationSchema', () => {
  it('writes every kind of field', () => {
    const schema = z.object({
      name: z.string().min(3).max(50).describe('Your name').default('John Doe'),
      mail: z.email(),
      site: z.url().optional(),
      day: z.iso.date(),
      at: z.iso.datetime(),
      id: z.uuid(),
      age: z.int().min(0).max(150),
      count: z.int(),
      score: z.number().gt(0),
      level: z.int().positive(),
      verified: z.boolean().default(true),
      color: z.enum(['red', 'green']).default('red'),
      only: z.literal('x'),
      size: z.union([z.literal('s').meta({ title: 'Small' }), z.literal('l').meta({ title: 'Large' })]),
      tags: z
        .array(z.enum(['a', 'b']))
        .min(1)
        .max(2),
      marks: z.array(
        z.union([z.literal('s').meta({ title: 'Small' }), z.literal('l').meta({ title: 'Large' })]),
      ),
    })
    expect(elicitationSchema(schema)).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Your name', minLength: 3, maxLength: 50, default: 'John Doe' },
        mail: { type: 'string', format: 'email' },
        site: { type: 'string', format: 'uri' },
        day: { type: 'string', format: 'date' },
        at: { type: 'string', format: 'date-time' },
        id: { type: 'string' },
        age: { type: 'integer', minimum: 0, maximum: 150 },
        count: { type: 'integer' },
        score: { type: 'number', minimum: 0 },
        level: { type: 'integer', minimum: 1 },
        verified: { type: 'boolean', default: true },
        color: { type: 'string', enum: ['red', 'green'], default: 'red' },
        only: { type: 'string', enum: ['x'] },
        size: {
          type: 'string',
          oneOf: [
            { const: 's', title: 'Small' },
            { const: 'l', title: 'Large' },
          ],
        },
        tags: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] } },
        marks: {
          type: 'array',
          items: {
            anyOf: [
              { const: 's', title: 'Small' },
              { const: 'l', title: 'Large' },
            ],
          },
        },
      },
      required: [
        'mail',
        'day',
        'at',
        'id',
        'age',
        'count',
        'score',
        'level',
        'only',
        'size',
        'tags',
        'marks',
      ],
    })
  })

  it('takes what other libraries write', () => {
    const expected = {
      properties: { a: { type: 'string', enum: ['x', 'y'] }, b: { type: 'boolean' }, c: { type: 'integer' } },
    }
    const schemas: Schema[] = [
      v.object({ a: v.picklist(['x', 'y']), b: v.boolean(), c: v.optional(v.pipe(v.number(), v.integer())) }),
      type({ a: "'x' | 'y'", b: 'boolean', 'c?': 'number.integer' }),
      Type.Object({
        a: Type.Union([Type.Literal('x'), Type.Literal('y')]),
        b: Type.Boolean(),
        c: Type.Optional(Type.Integer()),
      }),
    ]
    for (const schema of schemas)
      expect(elicitationSchema(schema)).toMatchObject({ ...expected, required: ['a', 'b'] })
  })

  it('leaves a form in the wire format as it is', () => {
    const form = {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2'] },
        titledSingle: { type: 'string', title: 'T', oneOf: [{ const: 'value1', title: 'First' }] },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['One', 'Two'], default: 'opt1' },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1'] } },
        titledMulti: {
          type: 'array',
          items: { anyOf: [{ const: 'value1', title: 'First' }] },
          default: ['value1'],
        },
        score: { type: 'number', default: 95.5, minimum: 0 },
      },
      required: ['score'],
    }
    expect(elicitationSchema(form)).toEqual(form)
    expect(elicitationSchema({})).toEqual({ type: 'object', properties: {} })
  })

  it('follows references to shared schemas', () => {
    const Region = z.enum(['eu', 'us']).meta({ id: 'Region' })
    expect(elicitationSchema(z.object({ from: Region, to: Region.describe('Target') }))).toMatchObject({
      properties: { from: { type: 'string', enum: ['eu', 'us'] }, to: { description: 'Target' } },
    })
  })

  it.each<[string, Schema, RegExp]>([
    ['a nested object', z.object({ address: z.object({}) }), /the property "address" is of the type object/],
    [
      'a list of strings',
      z.object({ tags: z.array(z.string()) }),
      /"tags" is a list of anything but a choice/,
    ],
    [
      'a nullable field',
      z.object({ a: z.string().nullable() }),
      /"a" is of several types \(string, null\); make it optional/,
    ],
    [
      'a union',
      z.object({ a: z.union([z.string(), z.number()]) }),
      /"a" is (a combination|of several types)/,
    ],
    [
      'a choice of numbers',
      z.object({ a: z.literal([1, 2]) }),
      /"a" is a choice of values that are not strings/,
    ],
    ['anything', z.object({ a: z.unknown() }), /"a" is without a type/],
    ['a union of forms', z.union([z.object({}), z.object({})]), /its schema has "anyOf"/],
    ['a boolean schema', { properties: { a: true } }, /"a" is a boolean schema/],
  ])('names what cannot be expressed: %s', (_, schema, expected) => {
    const failure = (() => {
      try {
        return elicitationSchema(schema)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(failure).toBeInstanceOf(McpError)
    expect(failure).toMatchObject({ code: 'invalid_definition', message: expect.stringMatching(expected) })
  })

  it('treats prototype names as ordinary names', () => {
    const schema = JSON.parse(
      '{ "type": "object", "properties": { "__proto__": { "type": "string" }, "constructor": { "type": "boolean" } } }',
    )
    expect(JSON.stringify(elicitationSchema(schema))).toBe(JSON.stringify(schema))
  })
})
