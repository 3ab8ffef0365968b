import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { call, describeOne, send } from './echo-api.test.support.ts'
import { parseDocument } from './document/parse-document.ts'
import type { JsonObject } from '@gantry/mcp/server'
import { createOpenApiTarget } from './open-api-target.ts'

const body = (schema: unknown, rest: JsonObject = {}) =>
  describeOne('/x', 'post', { requestBody: { content: { 'application/json': { schema } } } }, rest)

// What an official client does with every listed schema.
const ajv = new Ajv2020({ strict: false, logger: false })
function compile(schema: JsonObject): void {
  ajv.compile(schema)
  ajv.removeSchema(schema)
}

async function inputOf(document: JsonObject) {
  const { tools, warnings } = await createOpenApiTarget({ document, baseUrl: 'http://127.0.0.1:1' })
  compile(tools[0]!.inputSchema)
  return {
    schema: tools[0]!.inputSchema as JsonObject & { properties: JsonObject },
    warnings: warnings.join('\n'),
  }
}

describe('hostile descriptions', () => {
  it('an object that contains itself is an error', async () => {
    const document: JsonObject = { openapi: '3.1.0', paths: {} }
    document.self = document
    await expect(createOpenApiTarget({ document })).rejects.toThrow('contains itself')
  })

  it('references in a circle, to nothing, and to odd places', async () => {
    const schemas = {
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/A' },
      C: { type: 'object', properties: { c: { $ref: '#/components/schemas/C' }, d: { $ref: '#/nowhere' } } },
      D: { allOf: [{ $ref: '#/components/schemas/D' }] },
    }
    for (const name of Object.keys(schemas)) {
      await inputOf(body({ $ref: `#/components/schemas/${name}` }, { components: { schemas } }))
    }
    const { schema, warnings } = await inputOf(
      body({ $ref: '#/components/schemas/C' }, { components: { schemas } }),
    )
    expect(schema.properties.c).toEqual({ $ref: '#/$defs/C' })
    expect(warnings).toContain('"#/nowhere" leads nowhere')
    await inputOf(body({ $ref: '#/paths/~1x/post/__proto__/constructor' }))
    await inputOf(body({ $ref: 7 }))
    await inputOf(body({ $ref: 'http://[bad' }))
  })

  it('definitions and tools with names of Object.prototype', async () => {
    const schemas = JSON.parse(
      '{"__proto__":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/constructor"}}},"constructor":{"type":"string"}}',
    ) as JsonObject
    const { schema } = await inputOf(
      body({ $ref: '#/components/schemas/__proto__' }, { components: { schemas } }),
    )
    expect(schema.properties.a).toEqual({ $ref: '#/$defs/constructor_schema' })
    const named = describeOne('/x', 'get', { operationId: '__proto__' })
    const target = await createOpenApiTarget({ document: named })
    expect(target.tools[0]!.name).toBe('proto')
    expect(await send(target, 'tools/call', { name: 'toString' })).toMatchObject({ type: 'error' })
  })

  it('keywords of the wrong type are left out with a warning', async () => {
    const { schema, warnings } = await inputOf(
      body({
        type: 'object',
        properties: {
          a: { type: 'file', minLength: -1, pattern: '(', enum: [], required: true, title: 7 },
          b: { type: 'text', exclusiveMinimum: true, minimum: 1, allOf: 'no', items: 7, format: {} },
          c: { enum: Array.from({ length: 5_000 }, (_, n) => n) },
          d: {
            type: ['string', 'nonsense'],
            properties: [],
            additionalProperties: 'x',
            patternProperties: { '(': {} },
          },
          e: 'nothing',
          f: { pattern: '^[a-z\\:\\@]+$', 'x-mcp-header': 'Bad Header', xml: {} },
        },
        required: 'a',
      }),
    )
    expect(schema.properties.a).toMatchObject({ type: 'string', contentEncoding: 'base64' })
    expect(schema.properties.b).toEqual({ exclusiveMinimum: 1, minimum: 1, items: {} })
    expect(schema.properties.c).toEqual({})
    expect(schema.properties.d).toMatchObject({ type: 'string', patternProperties: {} })
    expect(schema.properties.f).toEqual({ pattern: '^[a-z:@]+$' })
    expect(warnings).toContain('"enum" has 5000 values')
    expect(warnings).toContain('"text" is not a type')
    expect(warnings).toContain('the pattern "(" is not an ECMAScript pattern')
  })

  it('schemas that are too deep or too large stay small', async () => {
    let deep: JsonObject = { type: 'string' }
    for (let n = 0; n < 2_000; n++)
      deep = { type: 'object', properties: { n: deep }, additionalProperties: true }
    const nested = await inputOf(body(deep))
    expect(nested.warnings).toContain('too deep')
    const wide = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [
        `p${n}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 50 }, (_, m) => [`q${m}`, { type: 'string', description: 'x'.repeat(50) }]),
          ),
        },
      ]),
    )
    const { schema } = await inputOf(body({ type: 'object', properties: wide }))
    expect(JSON.stringify(schema).length).toBeLessThan(40_000)
    expect(Object.keys(schema.properties)).toHaveLength(300)
  })

  it('definitions that all reach each other are opened beyond the limit', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `Type${n}`)
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
    )
    const schemas = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]))
    const { schema } = await inputOf(
      body({ type: 'array', items: { $ref: '#/components/schemas/Type0' } }, { components: { schemas } }),
    )
    expect(JSON.stringify(schema).length).toBeLessThan(40_000)
    expect((schema.$defs as JsonObject).Type59).toEqual({ type: 'object' })
  })

  it('parameters and headers that cannot be sent are left out', async () => {
    const parameters = [
      { name: 'bad header', in: 'header', schema: {} },
      { name: 'Host', in: 'header', schema: {} },
      { name: 'a=b; c', in: 'cookie', schema: {} },
      { name: 'x', in: 'somewhere' },
      { in: 'query' },
      { $ref: '#/nowhere' },
      'nonsense',
      { name: 'ok', in: 'query', style: 'matrix' },
    ]
    const { schema, warnings } = await inputOf(describeOne('/x/{undeclared}', 'get', { parameters }))
    expect(Object.keys(schema.properties)).toEqual(['ok', 'undeclared'])
    expect(warnings).toContain('"bad header" cannot be sent')
    expect(warnings).toContain('style "matrix" is not for query')
    expect(warnings).toContain('{undeclared} is not declared')
  })

  it('odd structures anywhere never throw anything but a clear error', async () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>
    const keys = [
      'get',
      'post',
      'parameters',
      'schema',
      '$ref',
      'name',
      'in',
      'requestBody',
      'content',
      'responses',
      'type',
      'properties',
      'allOf',
      'servers',
      'security',
      'tags',
      '200',
      'application/json',
      'operationId',
      'items',
      'url',
      '/a',
    ]
    const odd = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        json,
        fc.dictionary(fc.constantFrom(...keys), tie('node'), { maxKeys: 6 }),
        fc.array(tie('node'), { maxLength: 3 }),
      ),
    })).node
    await fc.assert(
      fc.asyncProperty(odd, odd, odd, async (item, components, rest) => {
        const document = {
          openapi: '3.0.0',
          info: rest,
          paths: {
            '/x': item,
            '/y/{id}': { get: item, post: { requestBody: item, parameters: item, responses: item } },
          },
          components,
          servers: rest,
          security: rest,
          tags: rest,
        }
        const target = await createOpenApiTarget({
          document: document as JsonObject,
          baseUrl: 'http://127.0.0.1:1',
        })
        for (const tool of target.tools) {
          compile(tool.inputSchema)
          if (tool.outputSchema) compile(tool.outputSchema)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('arguments are checked before anything is sent, also against a schema that cannot be met', async () => {
    const target = await createOpenApiTarget({ document: body(false), baseUrl: 'http://127.0.0.1:1' })
    const result = await call(target, 'op', { body: 1 })
    expect(result.isError).toBe(true)
    expect(result.text).not.toContain('ECONNREFUSED')
  })
})

describe('a description without a bottom', () => {
  it.each([600, 5_000, 100_000])('is refused: %s levels, in JSON and in YAML', async (levels) => {
    const deep = '['.repeat(levels) + ']'.repeat(levels)
    for (const text of [
      `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{},"x-deep":${deep}}`,
      `openapi: 3.1.0\ninfo: {title: x, version: "1"}\npaths: {}\nx-deep: ${deep}\n`,
    ]) {
      expect(() => parseDocument(text)).toThrow(/levels|call stack/)
    }
  })
})
