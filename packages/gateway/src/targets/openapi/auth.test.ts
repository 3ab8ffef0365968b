import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../model/index.ts'
import { call, describeOne, type EchoApi, startEchoApi } from './echo-api.test.support.ts'
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

const SECRET = 'p&ss wörd-1234'
const SCHEMES = {
  inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
  inQuery: { type: 'apiKey', in: 'query', name: 'key' },
  inCookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  user: { type: 'http', scheme: 'basic' },
  token: { type: 'http', scheme: 'bearer' },
  login: { type: 'oauth2', flows: {} },
  custom: { type: 'http', scheme: 'Custom' },
}

async function targetWith(
  security: unknown,
  options: Partial<OpenApiTargetOptions>,
  operation: JsonObject = {},
) {
  const document = describeOne(
    '/p',
    'get',
    { security, ...operation },
    { components: { securitySchemes: SCHEMES } },
  )
  return await createOpenApiTarget({ document, baseUrl: api.url, ...options })
}
async function seenWith(
  security: unknown,
  options: Partial<OpenApiTargetOptions>,
  operation: JsonObject = {},
) {
  const result = await call(await targetWith(security, options, operation), 'op')
  expect(result.isError, result.text).toBeUndefined()
  return api.seen.at(-1)!
}
const scheme = (name: string, value: string) =>
  seenWith([{ [name]: [] }], { auth: { schemes: { [name]: value } } })

describe('credentials', () => {
  it('go where the scheme says', async () => {
    expect((await scheme('inHeader', 'k1')).headers['x-key']).toBe('k1')
    expect((await scheme('inQuery', SECRET)).url).toBe(`/p?key=${encodeURIComponent(SECRET)}`)
    expect((await scheme('inCookie', 'k3')).headers.cookie).toBe('sid=k3')
    expect((await scheme('user', 'me:pw')).headers.authorization).toBe(`Basic ${btoa('me:pw')}`)
    expect((await scheme('token', 't')).headers.authorization).toBe('Bearer t')
    expect((await scheme('login', 't')).headers.authorization).toBe('Bearer t')
    expect((await scheme('custom', 't')).headers.authorization).toBe('Custom t')
  })

  it('of the first alternative that is configured, all of it; none where none is asked for', async () => {
    const auth = { schemes: { inHeader: 'h', inCookie: 'c', inQuery: 'q' } }
    const seen = await seenWith([{ token: [] }, { inHeader: [], inCookie: [] }, { inQuery: [] }], { auth })
    expect([seen.headers['x-key'], seen.headers.cookie, seen.url]).toEqual(['h', 'sid=c', '/p'])
    expect((await seenWith([], { auth })).headers['x-key']).toBeUndefined()
  })

  it('that belong to no scheme go with every request', async () => {
    const basic = await seenWith([], { auth: { basic: { username: 'ü', password: new Secret('pw\n') } } })
    expect(basic.headers.authorization).toBe(`Basic ${Buffer.from('ü:pw').toString('base64')}`)
    const keys = await seenWith([], {
      auth: { bearer: 't', apiKeys: [{ in: 'query', name: 'k', value: 'v' }] },
    })
    expect([keys.headers.authorization, keys.url]).toEqual(['Bearer t', '/p?k=v'])
  })

  it('cannot be replaced by an argument: the parameter is not shown', async () => {
    const parameters = [
      { name: 'x-key', in: 'header', schema: { type: 'string' } },
      { name: 'Authorization', in: 'header', schema: { type: 'string' } },
      { name: 'q', in: 'query', schema: { type: 'string' } },
    ]
    const target = await targetWith(
      [{ inHeader: [] }],
      { auth: { schemes: { inHeader: 'k' } } },
      { parameters },
    )
    expect(Object.keys(target.tools[0]!.inputSchema.properties as JsonObject)).toEqual(['q'])
  })

  it('are refused at load when they cannot be sent, without being shown', async () => {
    const bad = targetWith([], { auth: { bearer: 'line\nbreak' } })
    await expect(bad).rejects.toThrow('authorization')
    await expect(bad).rejects.not.toThrow('break')
    await expect(targetWith([], { headers: { 'Content-Length': '1' } })).rejects.toThrow('Content-Length')
    const cookie = { in: 'cookie', name: 'sid', value: 'a; admin=1' } as const
    await expect(targetWith([], { auth: { apiKeys: [cookie] } })).rejects.toThrow('sid')
    const inUrl = targetWith([], { baseUrl: 'http://me:hidden@localhost/' })
    await expect(inUrl).rejects.toThrow('auth.basic')
    await expect(inUrl).rejects.not.toThrow('hidden')
  })

  it('do not appear in errors, even when the API repeats them', async () => {
    api.answer = (request, response) => {
      response.writeHead(400).end(`bad: ${request.headers.authorization} ${request.url}`)
      return true
    }
    const auth = { bearer: 'tok-123456', apiKeys: [{ in: 'query', name: 'k', value: SECRET }] } as const
    const result = await call(await targetWith([], { auth }), 'op')
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).not.toContain('tok-123456')
    expect(JSON.stringify(result)).not.toContain(encodeURIComponent(SECRET))
    expect(result.text).toContain('[redacted]')
  })
})

describe('headers', () => {
  it('of the client are forwarded only when listed', async () => {
    const target = await targetWith([], { forwardHeaders: ['X-Tenant'], headers: { 'x-fixed': 'f' } })
    await call(
      target,
      'op',
      {},
      { headers: { 'x-tenant': 'a', authorization: 'Bearer gateway', cookie: 'c=1' } },
    )
    const { headers } = api.seen.at(-1)!
    expect([headers['x-tenant'], headers['x-fixed']]).toEqual(['a', 'f'])
    expect([headers.authorization, headers.cookie]).toEqual([undefined, undefined])
  })

  it('a warning says what forwarding authorization means', async () => {
    const target = await targetWith([], { forwardHeaders: ['Authorization'] })
    expect(target.warnings.join()).toContain('meant for the gateway')
  })
})

describe('client credentials', () => {
  let issued = 0
  const grants = () => api.seen.filter((seen) => seen.url === '/token')
  function serveTokens(options: { expiresIn?: number; accept?: 'basic' | 'post' } = {}): void {
    issued = 0
    api.seen.length = 0
    api.answer = (request, response, seen) => {
      if (request.url !== '/token') return false
      const isPost = seen.body.includes('client_secret=')
      response.setHeader('content-type', 'application/json')
      if ((options.accept === 'post') !== isPost) response.writeHead(401).end('{"error":"invalid_client"}')
      else {
        const token = {
          access_token: `token-${++issued}`,
          token_type: 'bearer',
          expires_in: options.expiresIn ?? 3600,
        }
        response.end(JSON.stringify(token))
      }
      return true
    }
  }
  const clientCredentials = () => ({
    tokenUrl: `${api.url}/token`,
    clientId: 'me',
    clientSecret: new Secret('s3cret-value'),
    scopes: ['a', 'b'],
  })

  it('one token for many calls at once, used until it expires', async () => {
    serveTokens()
    const target = await targetWith([{ login: [] }], { auth: { clientCredentials: clientCredentials() } })
    await Promise.all(Array.from({ length: 10 }, () => call(target, 'op')))
    await call(target, 'op')
    expect(grants()).toHaveLength(1)
    expect(new URLSearchParams(grants()[0]!.body).get('scope')).toBe('a b')
    expect(grants()[0]!.headers.authorization).toMatch(/^Basic /)
    expect(api.seen.at(-1)!.headers.authorization).toBe('Bearer token-1')
  })

  it('an expired token is replaced', async () => {
    serveTokens({ expiresIn: 0 })
    const target = await targetWith([], { auth: { clientCredentials: clientCredentials() } })
    await call(target, 'op')
    await call(target, 'op')
    expect(api.seen.at(-1)!.headers.authorization).toBe('Bearer token-2')
  })

  it('a token that the API refuses is replaced once', async () => {
    serveTokens()
    const tokens = api.answer!
    api.answer = (request, response, seen) => {
      if (request.headers.authorization !== 'Bearer token-1') return tokens(request, response, seen)
      response.writeHead(401).end()
      return true
    }
    const target = await targetWith([], { auth: { clientCredentials: clientCredentials() } })
    expect((await call(target, 'op')).isError).toBeUndefined()
    expect(api.seen.at(-1)!.headers.authorization).toBe('Bearer token-2')
  })

  it('the secret goes into the body where the header is refused', async () => {
    serveTokens({ accept: 'post' })
    const target = await targetWith([], { auth: { clientCredentials: clientCredentials() } })
    expect((await call(target, 'op')).isError).toBeUndefined()
    expect(grants().map((seen) => seen.body.includes('client_secret='))).toEqual([false, true])
  })

  it('a failure says what to check and shows no secret', async () => {
    api.answer = (_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_scope"}')
      return true
    }
    const target = await targetWith([], { auth: { clientCredentials: clientCredentials() } })
    const result = await call(target, 'op')
    expect(result.isError).toBe(true)
    expect(result.text).toContain('invalid_scope')
    expect(result.text).toContain('auth.clientCredentials')
    expect(result.text).not.toContain('s3cret')
    const plain = targetWith([], {
      auth: { clientCredentials: { ...clientCredentials(), tokenUrl: 'http://example.com/t' } },
    })
    await expect(plain).rejects.toThrow('https')
  })
})

describe('an API that echoes what it was sent', () => {
  const KEY = 'k3y/with "quotes"+and=more'
  const auth = { schemes: { inHeader: KEY.replaceAll('"', ''), inQuery: KEY, user: `me:${KEY}` } }
  const security = [{ inHeader: [], inQuery: [], user: [] }]
  const headers = {
    'X-Api-Key': 'configured-key',
    Accept: 'application/json',
    'X-Trace': new Secret('from-env', '${env:T}'),
  }
  const leaks = [
    KEY,
    KEY.replaceAll('"', ''),
    'configured-key',
    'from-env',
    btoa(`me:${KEY}`),
    encodeURIComponent(KEY),
    'CONFIGURED-KEY',
    Buffer.from('configured-key').toString('hex'),
    KEY.replaceAll('"', '&quot;').replaceAll('/', '&#x2F;'),
  ]

  async function answered(answer: typeof api.answer, more: JsonObject = {}): Promise<string> {
    api.answer = answer
    const target = await targetWith(security, { auth, headers }, more)
    const all = await Promise.all(
      (['2026-07-28', '2025-06-18'] as const).map((version) => call(target, 'op', {}, { version })),
    )
    return JSON.stringify(all)
  }

  function expectClean(text: string): void {
    for (const leak of leaks) {
      for (const spelling of [
        leak,
        JSON.stringify(leak).slice(1, -1),
        JSON.stringify(JSON.stringify(leak)).slice(3, -3),
      ]) {
        expect(text).not.toContain(spelling)
      }
    }
    expect(text).toContain('redacted')
  }

  it('gives nothing of it to the caller: JSON, its escapes, text, errors and headers', async () => {
    expectClean(await answered(undefined))
    const body = { key: KEY, [KEY]: [{ deep: `x ${KEY} y` }], number: 1 }
    const escaped = JSON.stringify(body).replaceAll('/', '\\/').replaceAll('k3y', '\\u006b3y')
    for (const [status, type, text] of [
      [200, 'application/json', JSON.stringify(body)],
      [200, 'application/json', escaped],
      [200, 'text/plain', `you sent ${KEY}, ${encodeURIComponent(KEY)} and configured-key`],
      [200, 'text/html', escaped],
      [500, 'application/json', escaped],
      [401, 'text/plain', `bad key ${KEY}`],
      [
        200,
        'text/plain',
        `upper ${'configured-key'.toUpperCase()}, ${Buffer.from('configured-key').toString('hex')}`,
      ],
      [200, 'text/html', KEY.replaceAll('"', '&quot;').replaceAll('/', '&#x2F;')],
      [204, 'text/plain', ''],
    ] as const) {
      const told = await answered((_, response) => {
        const place = `/next?key=${encodeURIComponent(KEY)}`
        response
          .writeHead(status, { 'content-type': type, location: place, etag: '"configured-key"' })
          .end(text)
        return true
      })
      expectClean(told)
    }
  })

  it('keeps everything else: other values, exact numbers, and headers that are no secret', async () => {
    const text =
      '{"a":1.0,"big":12345678901234567890,"type":"application/json","key":"configured-key","s":"a\\nb"}'
    api.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      return true
    }
    const { text: told } = await call(await targetWith(security, { auth, headers }), 'op')
    expect(told).toBe(text.replace('configured-key', '[redacted]'))
  })

  it('overwrites it in a file and leaves the rest where it was', async () => {
    api.answer = (_, response) => {
      const bytes = Buffer.concat([
        Buffer.from([0, 1, 255]),
        Buffer.from('configured-key'),
        Buffer.from([254]),
      ])
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes)
      return true
    }
    const { content } = await call(await targetWith(security, { auth, headers }), 'op')
    const blob = Buffer.from(String(content[1]?.resource?.blob), 'base64')
    expect(blob.toString('latin1')).toBe(`\0\x01\xff${'*'.repeat(14)}\xfe`)
  })
})
