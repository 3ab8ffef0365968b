import fc from 'fast-check'
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

const LIST = ['blue', 'black', 'brown']
const OBJECT = { R: 100, G: 200, B: 150 }

/** Calls `GET path` with one parameter called `color`, and returns the URL that the API saw. */
async function urlFor(parameter: JsonObject, value: unknown): Promise<string> {
  const path = parameter.in === 'path' ? '/p/{color}' : '/p'
  const description = describeOne(path, 'get', { parameters: [{ name: 'color', schema: {}, ...parameter }] })
  return (await callOne(api, description, { color: value })).url
}

describe('parameter styles, as the API sees them', () => {
  const cases: [JsonObject, unknown, string][] = [
    [{ in: 'path' }, 'blue', '/p/blue'],
    [{ in: 'path' }, LIST, '/p/blue,black,brown'],
    [{ in: 'path' }, OBJECT, '/p/R,100,G,200,B,150'],
    [{ in: 'path', explode: true }, OBJECT, '/p/R=100,G=200,B=150'],
    [{ in: 'path', style: 'label' }, 'blue', '/p/.blue'],
    [{ in: 'path', style: 'label' }, LIST, '/p/.blue,black,brown'],
    [{ in: 'path', style: 'label', explode: true }, LIST, '/p/.blue.black.brown'],
    [{ in: 'path', style: 'label', explode: true }, OBJECT, '/p/.R=100.G=200.B=150'],
    [{ in: 'path', style: 'matrix' }, 'blue', '/p/;color=blue'],
    [{ in: 'path', style: 'matrix' }, '', '/p/;color'],
    [{ in: 'path', style: 'matrix' }, LIST, '/p/;color=blue,black,brown'],
    [{ in: 'path', style: 'matrix', explode: true }, LIST, '/p/;color=blue;color=black;color=brown'],
    [{ in: 'path', style: 'matrix' }, OBJECT, '/p/;color=R,100,G,200,B,150'],
    [{ in: 'path', style: 'matrix', explode: true }, OBJECT, '/p/;R=100;G=200;B=150'],
    [{ in: 'query' }, 'blue', '/p?color=blue'],
    [{ in: 'query' }, '', '/p?color='],
    [{ in: 'query' }, LIST, '/p?color=blue&color=black&color=brown'],
    [{ in: 'query', explode: false }, LIST, '/p?color=blue,black,brown'],
    [{ in: 'query' }, OBJECT, '/p?R=100&G=200&B=150'],
    [{ in: 'query', explode: false }, OBJECT, '/p?color=R,100,G,200,B,150'],
    [{ in: 'query', style: 'spaceDelimited', explode: false }, LIST, '/p?color=blue%20black%20brown'],
    [{ in: 'query', style: 'pipeDelimited', explode: false }, LIST, '/p?color=blue%7Cblack%7Cbrown'],
    [
      { in: 'query', style: 'deepObject', explode: true },
      OBJECT,
      '/p?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
    ],
    [
      { in: 'query', style: 'deepObject' },
      { a: { b: [1, 2] } },
      '/p?color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D=2',
    ],
    [
      { in: 'query', schema: undefined, content: { 'application/json': { schema: {} } } },
      OBJECT,
      '/p?color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D',
    ],
    [{ in: 'query' }, 'a b&c=d#e/f', '/p?color=a%20b%26c%3Dd%23e%2Ff'],
    [{ in: 'query', allowReserved: true }, 'a/b?c:d&e=f#g', '/p?color=a/b?c:d%26e%3Df%23g'],
    [{ in: 'query' }, [1, null, true], '/p?color=1&color=true'],
  ]
  it.each(cases)('%j of %j is %s', async (parameter, value, url) => {
    expect(await urlFor(parameter, value)).toBe(url)
  })

  it('leaves out a parameter that is null or not given', async () => {
    expect(await urlFor({ in: 'query' }, null)).toBe('/p')
    expect(await urlFor({ in: 'query' }, undefined)).toBe('/p')
  })

  it('sends headers and cookies', async () => {
    const parameters = [
      { name: 'X-List', in: 'header', schema: { type: 'array' } },
      { name: 'X-Object', in: 'header', explode: true, schema: { type: 'object' } },
      { name: 'theme', in: 'cookie', schema: { type: 'string' } },
      { name: 'tags', in: 'cookie', explode: false, schema: { type: 'array' } },
    ]
    const args = { 'X-List': LIST, 'X-Object': OBJECT, theme: 'dark; admin=1', tags: ['a', 'b'] }
    const { headers } = await callOne(api, describeOne('/p', 'get', { parameters }), args)
    expect(headers['x-list']).toBe('blue,black,brown')
    expect(headers['x-object']).toBe('R=100,G=200,B=150')
    expect(headers.cookie).toBe('theme=dark%3B%20admin%3D1; tags=a,b')
  })
})

describe('arguments stay in their place', () => {
  const description = describeOne('/files/{name}/meta', 'get', {
    parameters: [
      { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'X-Note', in: 'header', schema: { type: 'string' } },
    ],
  })

  it.each(['..', '.', ''])('refuses the path value %j', async (name) => {
    const target = await createOpenApiTarget({ document: description, baseUrl: api.url })
    const before = api.seen.length
    const result = await call(target, 'op', { name })
    expect(result.isError).toBe(true)
    expect(api.seen.length).toBe(before)
  })

  it('any text is one segment of the path and comes out as it went in', async () => {
    const target = await createOpenApiTarget({ document: description, baseUrl: `${api.url}/base` })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.constantFrom('../..', '%2e%2e', '?x', '#y', 'a/b', '..\\', '%2F')),
        async (name) => {
          fc.pre(name !== '' && name !== '.' && name !== '..')
          const result = await call(target, 'op', { name })
          expect(result.isError, result.text).toBeUndefined()
          const segments = api.seen.at(-1)!.url.split('/')
          expect(segments).toHaveLength(5)
          expect(decodeURIComponent(segments[3]!)).toBe(name)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('a line break in a header value is refused, not sent', async () => {
    const target = await createOpenApiTarget({ document: description, baseUrl: api.url })
    const before = api.seen.length
    const result = await call(target, 'op', { name: 'x', 'X-Note': 'a\r\nX-Admin: 1' })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('X-Note') })
    expect(api.seen.length).toBe(before)
  })

  it('missing, unknown and wrong arguments are named, and nothing is sent', async () => {
    const target = await createOpenApiTarget({ document: description, baseUrl: api.url })
    const before = api.seen.length
    const result = await call(target, 'op', { 'X-Note': 7, nmae: 'x' })
    expect(result.isError).toBe(true)
    expect(result.text).toContain('"name" is missing')
    expect(result.text).toContain('"nmae" is not known')
    expect(result.text).toContain('"X-Note" must be string')
    expect(api.seen.length).toBe(before)
  })
})

describe('servers', () => {
  const get = { responses: {} }
  const servers = (port: string) => [
    {
      url: 'http://{host}:{port}/v{version}/',
      variables: {
        host: { default: '127.0.0.1' },
        port: { default: port },
        version: { default: '1', enum: ['1', '2'] },
      },
    },
  ]

  it('fills in variables, and prefers the servers of the operation, then of the path', async () => {
    const { port } = new URL(api.url)
    const document = {
      openapi: '3.0.3',
      info: { title: 'T', version: '1' },
      servers: servers(port),
      paths: {
        '/a': { get: { ...get, operationId: 'a' } },
        '/b': { servers: [{ url: `${api.url}/path` }], get: { ...get, operationId: 'b' } },
        '/c': {
          servers: [{ url: `${api.url}/path` }],
          get: { ...get, operationId: 'c', servers: [{ url: `${api.url}/own` }] },
        },
      },
    }
    const target = await createOpenApiTarget({ document, serverVariables: { version: '2' } })
    for (const name of ['a', 'b', 'c']) await call(target, name)
    expect(api.seen.slice(-3).map((seen) => seen.url)).toEqual(['/v2/a', '/path/b', '/own/c'])
    const pinned = await createOpenApiTarget({ document, baseUrl: `${api.url}/pinned` })
    for (const name of ['a', 'b', 'c']) await call(pinned, name)
    expect(api.seen.slice(-3).map((seen) => seen.url)).toEqual(['/pinned/a', '/pinned/b', '/pinned/c'])
  })

  it('says that baseUrl is missing, when loading and when called', async () => {
    const target = await createOpenApiTarget({ document: describeOne('/a', 'get', get) })
    expect(target.warnings.join()).toContain('set openapi.baseUrl')
    expect(await call(target, 'op')).toMatchObject({
      isError: true,
      text: expect.stringContaining('baseUrl'),
    })
  })

  it('keeps a query that is part of the path template', async () => {
    const seen = await callOne(
      api,
      describeOne('/a?action=list', 'get', { parameters: [{ name: 'q', in: 'query', schema: {} }] }),
      { q: 'x' },
    )
    expect(seen.url).toBe('/a?action=list&q=x')
  })
})
