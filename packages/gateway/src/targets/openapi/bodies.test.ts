import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, callOne, describeOne, type EchoApi, startEchoApi } from './echo-api.test.support.ts'
import type { JsonObject } from '@gantry/mcp/server'
import { createOpenApiTarget } from './open-api-target.ts'

let api: EchoApi
beforeAll(async () => {
  api = await startEchoApi()
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
})

function withBody(content: JsonObject, body: JsonObject = { required: true }): JsonObject {
  return describeOne('/things', 'post', { requestBody: { ...body, content } })
}
const object = (properties: JsonObject, rest: JsonObject = {}) => ({ type: 'object', properties, ...rest })
const text = { type: 'string' }
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255])

describe('JSON bodies', () => {
  it('a plain object becomes arguments of its own', async () => {
    const schema = object({ name: text, tags: { type: 'array', items: text } }, { required: ['name'] })
    const description = withBody({ 'application/json': { schema } })
    const seen = await callOne(api, description, { name: 'x', tags: ['a'] })
    expect(JSON.parse(seen.body)).toEqual({ name: 'x', tags: ['a'] })
    expect(seen.headers['content-type']).toBe('application/json')
    const { tools } = await createOpenApiTarget({ document: description, baseUrl: api.url })
    expect(tools[0]!.inputSchema).toMatchObject({ required: ['name'], additionalProperties: false })
  })

  it('a collision with a parameter, a list or alternatives keep it whole, under "body"', async () => {
    const parameters = [{ name: 'id', in: 'query', schema: text }]
    const schemas = [object({ id: text }), { type: 'array', items: text }, { oneOf: [object({ a: text })] }]
    for (const schema of schemas) {
      const requestBody = { required: true, content: { 'application/json': { schema } } }
      const document = describeOne('/things', 'post', { parameters, requestBody })
      const { tools } = await createOpenApiTarget({ document, baseUrl: api.url })
      expect(Object.keys(tools[0]!.inputSchema.properties as JsonObject)).toEqual(['id', 'body'])
      expect(tools[0]!.inputSchema.required).toEqual(['body'])
    }
    const requestBody = { content: { 'application/json': { schema: object({ id: text }) } } }
    const document = describeOne('/things', 'post', { parameters, requestBody })
    const seen = await callOne(api, document, { id: 'q', body: { id: 'b' } })
    expect([seen.url, seen.body]).toEqual(['/things?id=q', '{"id":"b"}'])
  })

  it('an optional body without arguments is not sent, a required one is {}', async () => {
    const content = { 'application/json': { schema: object({ a: text }) } }
    expect((await callOne(api, withBody(content, {}), {})).body).toBe('')
    expect((await callOne(api, withBody(content), {})).body).toBe('{}')
  })

  it('merges allOf, leaves out read-only properties, and allows null where the schema does', async () => {
    const document = {
      ...withBody({ 'application/json': { schema: { $ref: '#/components/schemas/Dog' } } }),
      openapi: '3.0.3',
      components: {
        schemas: {
          Pet: object({ id: { type: 'integer', readOnly: true }, name: text }, { required: ['id', 'name'] }),
          Dog: {
            allOf: [{ $ref: '#/components/schemas/Pet' }, object({ owner: { ...text, nullable: true } })],
          },
        },
      },
    }
    const { tools } = await createOpenApiTarget({ document, baseUrl: api.url })
    expect(Object.keys(tools[0]!.inputSchema.properties as JsonObject)).toEqual(['name', 'owner'])
    expect(tools[0]!.inputSchema.required).toEqual(['name'])
    expect(JSON.parse((await callOne(api, document, { name: 'x', owner: null })).body)).toEqual({
      name: 'x',
      owner: null,
    })
  })

  it('names that a model provider would refuse are replaced, and sent as they were', async () => {
    const document = describeOne('/things', 'post', {
      parameters: [{ name: 'filter[name]', in: 'query', schema: text }],
      requestBody: { content: { 'application/json': { schema: object({ $type: text, '@id': text }) } } },
    })
    const seen = await callOne(api, document, { filter_name: 'f', type: 't', id: 'i' })
    expect(seen.url).toBe('/things?filter%5Bname%5D=f')
    expect(JSON.parse(seen.body)).toEqual({ $type: 't', '@id': 'i' })
  })

  it('properties called __proto__ and constructor are ordinary properties', async () => {
    const properties = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"string"}}',
    ) as JsonObject
    const args = { proto: 'p', constructor: 'c' }
    const seen = await callOne(api, withBody({ 'application/json': { schema: object(properties) } }), args)
    expect(seen.body).toBe('{"__proto__":"p","constructor":"c"}')
  })
})

describe('forms', () => {
  const content = (schema: JsonObject, encoding?: JsonObject) => ({
    'application/x-www-form-urlencoded': { schema, ...(encoding ? { encoding } : {}) },
  })

  it('repeats lists, writes objects as JSON, and follows encodings', async () => {
    const schema = object({
      name: text,
      tags: { type: 'array' },
      meta: { type: 'object' },
      deep: { type: 'object' },
    })
    const encoding = { deep: { style: 'deepObject', explode: true } }
    const args = { name: 'a b&c', tags: ['x', 'y'], meta: { k: 1 }, deep: { a: { b: 2 } } }
    const seen = await callOne(api, withBody(content(schema, encoding)), args)
    expect(seen.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(seen.body)]).toEqual([
      ['name', 'a b&c'],
      ['tags', 'x'],
      ['tags', 'y'],
      ['meta', '{"k":1}'],
      ['deep[a][b]', '2'],
    ])
  })
})

describe('multipart', () => {
  const binary = { type: 'string', format: 'binary' }
  async function parts(schema: JsonObject, args: JsonObject, encoding: JsonObject = {}): Promise<FormData> {
    const seen = await callOne(api, withBody({ 'multipart/form-data': { schema, encoding } }), args)
    const headers = { 'content-type': seen.headers['content-type']! }
    return await new Response(Buffer.from(seen.body, 'latin1'), { headers }).formData()
  }

  it('sends Base64 and data: URIs as files, several of them for a list', async () => {
    const schema = object({ one: binary, two: binary, many: { type: 'array', items: binary }, note: text })
    const data = PNG.toString('base64')
    const form = await parts(schema, {
      one: data,
      two: `data:image/png;name=my%20%22cat%22.png;base64,${data}`,
      many: [data, data],
      note: 'grüße',
    })
    const one = form.get('one') as File
    expect([one.name, one.type]).toEqual(['one', 'application/octet-stream'])
    expect(Buffer.from(await one.arrayBuffer())).toEqual(PNG)
    const two = form.get('two') as File
    expect(two.type).toBe('image/png')
    expect(two.name).toContain('cat')
    expect(form.getAll('many')).toHaveLength(2)
    expect(form.get('note')).toBe('grüße')
  })

  it('an object is a JSON part and no file; 3.1 says files by contentMediaType', async () => {
    const schema = object({ meta: { type: 'object' }, photo: { contentMediaType: 'image/png' } })
    const args = { meta: { a: 1 }, photo: PNG.toString('base64') }
    const seen = await callOne(api, withBody({ 'multipart/form-data': { schema } }), args)
    expect(seen.body).toContain('name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}')
    expect(seen.body).toContain('name="photo"; filename="photo"')
  })

  it('a file name cannot add header lines', async () => {
    const args = { one: `data:text/plain;name=a%0D%0AX-Evil%3A%201%22;base64,aGk=` }
    const seen = await callOne(
      api,
      withBody({ 'multipart/form-data': { schema: object({ one: binary }) } }),
      args,
    )
    expect(seen.body).toContain('filename="a%0D%0AX-Evil: 1%22"')
    expect(seen.body).not.toContain('\r\nX-Evil')
  })

  it('says so when a file is not Base64', async () => {
    const document = withBody({ 'multipart/form-data': { schema: object({ one: binary }) } })
    const target = await createOpenApiTarget({ document, baseUrl: api.url })
    const result = await call(target, 'op', { one: 'not base64!' })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('Base64') })
  })
})

describe('other bodies', () => {
  it('sends bytes', async () => {
    const content = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
    const seen = await callOne(api, withBody(content), { body: PNG.toString('base64') })
    expect(Buffer.from(seen.body, 'latin1')).toEqual(PNG)
    expect(seen.headers['content-type']).toBe('application/octet-stream')
  })

  it('takes the media type of a data: URI where the description leaves it open', async () => {
    const seen = await callOne(api, withBody({ 'image/*': {} }), { body: 'data:image/gif;base64,R0lG' })
    expect([seen.headers['content-type'], seen.body]).toEqual(['image/gif', 'GIF'])
  })

  it('sends text as it is', async () => {
    const seen = await callOne(api, withBody({ 'application/xml': { schema: object({ a: text }) } }), {
      body: '<a/>',
    })
    expect([seen.headers['content-type'], seen.body]).toEqual(['application/xml', '<a/>'])
  })

  it('prefers JSON when there is a choice', async () => {
    const schema = object({ a: text })
    const seen = await callOne(
      api,
      withBody({ 'text/plain': {}, 'multipart/form-data': { schema }, 'application/json': { schema } }),
      { a: 'x' },
    )
    expect(seen.body).toBe('{"a":"x"}')
  })
})

describe('Swagger 2.0', () => {
  const swagger = (operation: JsonObject, rest: JsonObject = {}) => ({
    swagger: '2.0',
    info: { title: 'Old', version: '1' },
    host: new URL(api.url).host,
    basePath: '/v2',
    schemes: ['http'],
    paths: { '/pets/{id}': { post: { operationId: 'op', responses: {}, ...operation } } },
    ...rest,
  })
  const id = { name: 'id', in: 'path', required: true, type: 'integer' }

  it('reads parameters, collection formats and a JSON body', async () => {
    const tags = { name: 'tags', in: 'query', type: 'array', items: text, collectionFormat: 'pipes' }
    const body = { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } }
    const document = swagger(
      { parameters: [id, tags, body] },
      { definitions: { Pet: object({ name: text }) } },
    )
    const target = await createOpenApiTarget({ document })
    expect((await call(target, 'op', { id: 7, tags: ['a', 'b'], name: 'x' })).isError).toBeUndefined()
    expect(api.seen.at(-1)).toMatchObject({ url: '/v2/pets/7?tags=a%7Cb', body: '{"name":"x"}' })
  })

  it('reads forms and files', async () => {
    const file = { name: 'photo', in: 'formData', type: 'file' }
    const note = { name: 'note', in: 'formData', type: 'string', required: true }
    const target = await createOpenApiTarget({ document: swagger({ parameters: [id, file, note] }) })
    await call(target, 'op', { id: 7, photo: PNG.toString('base64'), note: 'n' })
    expect(api.seen.at(-1)!.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(api.seen.at(-1)!.body).toContain('name="photo"; filename="photo"')
    const plain = await createOpenApiTarget({ document: swagger({ parameters: [id, note] }) })
    await call(plain, 'op', { id: 7, note: 'n' })
    expect(api.seen.at(-1)!.body).toBe('note=n')
  })
})
