import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { writeJson } from '@gantry/mcp/exchange'
import { call, describeOne, type EchoApi, startEchoApi, type ToolResult } from './echo-api.test.support.ts'
import type { JsonObject } from '@gantry/mcp/server'
import { createOpenApiTarget } from './open-api-target.ts'
import type { OpenApiTargetOptions } from './options.ts'

let api: EchoApi
beforeAll(async () => {
  api = await startEchoApi()
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
})
afterEach(() => {
  api.answer = undefined
})

interface Reply {
  status?: number
  type?: string
  body?: string | Buffer
  headers?: Record<string, string>
}

/** One call of an operation that answers like this. */
async function answered(
  reply: Reply,
  setup: {
    method?: string
    responses?: JsonObject
    version?: '2025-11-25'
  } & Partial<OpenApiTargetOptions> = {},
): Promise<ToolResult> {
  api.answer = (_, response) => {
    if (reply.type) response.setHeader('content-type', reply.type)
    response.writeHead(reply.status ?? 200, reply.headers)
    response.end(reply.body)
    return true
  }
  const { method = 'get', responses = {}, version = '2026-07-28', ...options } = setup
  const document = describeOne('/thing', method, { responses })
  const target = await createOpenApiTarget({ document, baseUrl: api.url, ...options })
  return await call(target, 'op', {}, { version })
}
const json = (schema: JsonObject) => ({
  '200': { description: 'ok', content: { 'application/json': { schema } } },
})

describe('successes', () => {
  it('JSON is structured content and the text as it came', async () => {
    const body = '{"n": 12345678901234567890, "a": [1]}'
    const result = await answered({ type: 'application/hal+json; charset=utf-8', body })
    expect(writeJson(result.structuredContent)).toBe('{"n":12345678901234567890,"a":[1]}')
    expect(result.content).toEqual([{ type: 'text', text: body }])
    expect(result.isError).toBeUndefined()
  })

  it('a list is itself for 2026-07-28 and { result } before', async () => {
    const reply = { type: 'application/json', body: '[1,2]' }
    const responses = json({ type: 'array', items: { type: 'integer' } })
    expect((await answered(reply, { responses })).structuredContent).toEqual([1, 2])
    const legacy = await answered(reply, { responses, version: '2025-11-25' })
    expect(legacy.structuredContent).toEqual({ result: [1, 2] })
    expect((await answered(reply, { version: '2025-11-25' })).structuredContent).toEqual({ result: [1, 2] })
  })

  it('text, images, audio and other bytes become the right blocks', async () => {
    const bytes = Buffer.from([1, 2, 3, 250])
    const data = bytes.toString('base64')
    expect((await answered({ type: 'text/csv', body: 'a,b' })).content).toEqual([
      { type: 'text', text: 'a,b' },
    ])
    expect((await answered({ type: 'image/png', body: bytes })).content).toEqual([
      { type: 'image', data, mimeType: 'image/png' },
    ])
    expect((await answered({ type: 'audio/mpeg', body: bytes })).content).toEqual([
      { type: 'audio', data, mimeType: 'audio/mpeg' },
    ])
    const pdf = await answered({ type: 'application/pdf', body: bytes })
    expect(pdf.content).toEqual([
      { type: 'text', text: 'application/pdf, 4 bytes' },
      { type: 'resource', resource: { uri: `${api.url}/thing`, mimeType: 'application/pdf', blob: data } },
    ])
    expect((await answered({ type: 'image/svg+xml', body: '<svg/>' })).text).toBe('<svg/>')
    const latin = await answered({ type: 'text/plain; charset=iso-8859-1', body: Buffer.from([0xe9]) })
    expect(latin.text).toBe('é')
  })

  it('a body without a media type is looked at', async () => {
    expect((await answered({ body: '{"a":1}' })).structuredContent).toEqual({ a: 1 })
    expect((await answered({ body: 'plain' })).text).toBe('plain')
    expect((await answered({ body: Buffer.from([0xff, 0]) })).content[1]!.type).toBe('resource')
  })

  it('204 says so; 201 says where; HEAD shows the headers', async () => {
    expect((await answered({ status: 204 }, { method: 'delete' })).text).toContain('204 No Content')
    const created = await answered({ status: 201, headers: { location: '/thing/7' } }, { method: 'post' })
    expect(created.text).toContain('Location: /thing/7')
    const head = await answered({ type: 'text/html', headers: { etag: '"e"' } }, { method: 'head' })
    expect(head.text).toContain('200 OK\ncontent-type: text/html')
    expect(head.text).toContain('etag: "e"')
  })

  it('keeps status and paging headers in _meta', async () => {
    const result = await answered({
      body: '[]',
      type: 'application/json',
      headers: { link: '<x>; rel="next"' },
    })
    expect(result._meta).toEqual({ 'gantry/http': { status: 200, headers: { link: '<x>; rel="next"' } } })
  })

  it('an answer that breaks the promised schema is an error that says that the call succeeded', async () => {
    const responses = json({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] })
    const wrong = await answered({ type: 'application/json', body: '{"id":"7"}' }, { responses })
    expect(wrong.isError).toBe(true)
    expect(wrong.structuredContent).toBeUndefined()
    expect(wrong.text).toContain('the call succeeded')
    expect(wrong.text).toContain('"id" must be integer')
    expect(wrong.text).toContain('{"id":"7"}')
    const empty = await answered({ status: 204 }, { responses })
    expect(empty).toMatchObject({ isError: true, text: expect.stringContaining('do not repeat it') })
    const lenient = await answered(
      { type: 'application/json', body: '{"id":null}' },
      { responses, outputSchemas: 'lenient' },
    )
    expect(lenient.structuredContent).toEqual({ id: null })
    const none = await answered(
      { type: 'application/json', body: '{"id":"7"}' },
      { responses, outputSchemas: 'none' },
    )
    expect(none.structuredContent).toEqual({ id: '7' })
  })
})

describe('failures', () => {
  it('4xx and 5xx are isError with status, reason and body', async () => {
    const responses = { '404': { description: 'There is no such thing' } }
    const missing = await answered(
      { status: 404, type: 'application/json', body: '{"error":"no"}' },
      { responses },
    )
    expect(missing.isError).toBe(true)
    expect(missing.text).toBe('HTTP 404 Not Found from GET /thing\nThere is no such thing\n\n{"error":"no"}')
    expect(missing._meta).toMatchObject({ 'gantry/http': { status: 404 } })
    const limited = await answered({ status: 429, headers: { 'retry-after': '30' } })
    expect(limited.text).toContain('Retry-After 30')
    const unauthorized = await answered({ status: 401 })
    expect(unauthorized.text).toContain('"auth"')
  })

  it('an error body is cut; bytes are not shown', async () => {
    const long = await answered({ status: 500, type: 'text/html', body: 'x'.repeat(100_000) })
    expect(long.text.length).toBeLessThan(17_000)
    expect(long.text).toContain('84000 more characters')
    const bytes = await answered({ status: 500, type: 'application/zip', body: 'PK' })
    expect(bytes.text).toContain('(application/zip, 2 bytes)')
  })

  it('an answer over the limit is not read to the end', async () => {
    api.answer = (_, response) => {
      response.setHeader('content-type', 'text/plain')
      const more = () => {
        while (response.writable && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
      return true
    }
    const document = describeOne('/thing', 'get', {})
    const target = await createOpenApiTarget({ document, baseUrl: api.url, maxResponseBytes: 200_000 })
    const result = await call(target, 'op')
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('maxResponseBytes') })
  })

  it('says what to check when nobody listens, and that nothing was sent', async () => {
    const target = await createOpenApiTarget({
      document: describeOne('/t', 'post', {}),
      baseUrl: await freeUrl(),
    })
    const result = await call(target, 'op')
    expect(result.isError).toBe(true)
    expect(result.text).toContain('ECONNREFUSED')
    expect(result.text).toContain('was not sent')
  })

  it('a connection that breaks leaves doubt about a POST and none about a GET', async () => {
    api.answer = (request) => {
      request.socket.destroy()
      return true
    }
    const post = await createOpenApiTarget({ document: describeOne('/t', 'post', {}), baseUrl: api.url })
    expect(await call(post, 'op')).toMatchObject({
      isError: true,
      text: expect.stringContaining('may have been carried out'),
    })
    const get = await createOpenApiTarget({ document: describeOne('/t', 'get', {}), baseUrl: api.url })
    expect((await call(get, 'op')).text).not.toContain('carried out')
  })

  it('time-outs, cancellation and close end a call', async () => {
    api.answer = () => true
    const document = describeOne('/t', 'get', {})
    const quick = await createOpenApiTarget({ document, baseUrl: api.url, timeout: '0.05s' })
    expect((await call(quick, 'op')).text).toContain('within 50 ms')
    const wrong = createOpenApiTarget({ document, timeout: 'soon' as '1s' })
    await expect(wrong).rejects.toThrow('timeout: "soon" is not a time')
    const target = await createOpenApiTarget({ document, baseUrl: api.url })
    const controller = new AbortController()
    const before = api.seen.length
    const cancelled = call(target, 'op', {}, { signal: controller.signal })
    await expect.poll(() => api.seen.length).toBe(before + 1)
    controller.abort()
    expect((await cancelled).text).toContain('cancelled')
    const closing = call(target, 'op')
    await expect.poll(() => api.seen.length).toBe(before + 2)
    target.close()
    expect((await closing).isError).toBe(true)
  })
})

describe('redirects', () => {
  const redirect = (status: number, to: string) => {
    api.answer = (request, response) => {
      if (request.url !== '/thing') return false
      response.writeHead(status, { location: to }).end()
      return true
    }
  }
  async function follow(method: string, options: Partial<OpenApiTargetOptions> = {}): Promise<ToolResult> {
    const requestBody = { required: true, content: { 'application/json': { schema: {} } } }
    const document = describeOne('/thing', method, method === 'post' ? { requestBody } : {})
    const auth = { bearer: 'secret-token' }
    const target = await createOpenApiTarget({ document, baseUrl: api.url, auth, ...options })
    return await call(target, 'op', method === 'post' ? { body: { a: 1 } } : {})
  }

  it('follows on the same origin, with the method that the status asks for', async () => {
    redirect(302, '/other')
    await follow('get')
    expect(api.seen.at(-1)).toMatchObject({
      method: 'GET',
      url: '/other',
      headers: { authorization: 'Bearer secret-token' },
    })
    redirect(303, '/other')
    await follow('post')
    expect(api.seen.at(-1)).toMatchObject({ method: 'GET', url: '/other', body: '' })
    redirect(307, '/other')
    await follow('post')
    expect(api.seen.at(-1)).toMatchObject({ method: 'POST', url: '/other', body: '{"a":1}' })
  })

  it('does not leave the origin unless told, and then without credentials', async () => {
    await using other = await startEchoApi()
    redirect(302, `${other.url}/elsewhere?key=1`)
    const refused = await follow('get')
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(`${other.url}/elsewhere,`) })
    expect(other.seen).toEqual([])
    expect(
      (await follow('get', { redirects: 'any', headers: { 'x-internal': '1' } })).isError,
    ).toBeUndefined()
    expect(other.seen[0]!.headers.authorization).toBeUndefined()
    expect(other.seen[0]!.headers['x-internal']).toBeUndefined()
  })

  it('a circle ends after five; "none" follows nothing', async () => {
    redirect(302, '/thing')
    const before = api.seen.length
    expect((await follow('get')).isError).toBe(true)
    expect(api.seen.length - before).toBe(6)
    expect((await follow('get', { redirects: 'none' })).text).toContain('HTTP 302')
    expect(api.seen.length - before).toBe(7)
  })
})

/** The URL of a port that was free a moment ago. */
async function freeUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 1}`
}
