import { request as httpRequest } from 'node:http'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../packages/gateway/src/admin/contract.ts'
import { adminGateway, type AdminGateway } from '../support/admin-gateway.ts'

let gateway: AdminGateway

beforeAll(async () => {
  gateway = await adminGateway({ mcpServers: { demo: { module: 'gantry:demo' } } })
})
afterAll(() => gateway.close())

/** With headers that `fetch` does not let through. */
function raw(
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const { hostname, port } = new URL(gateway.url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode!, headers: response.headers, text })
    })
    request.on('error', reject)
    request.end(body)
  })
}

describe('a caller without a token', () => {
  it.each(Object.entries(ROUTES))('gets nothing from %s', async (_name, { method, path }) => {
    const response = await gateway.fetch(path, { method, token: '' })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    const { error } = await response.json()
    expect(error).toMatchObject({ code: 'unauthorized', fix: expect.stringContaining('gantry serve') })
  })

  it('gets nothing with a wrong one, whatever its length', async () => {
    for (const token of ['x', 'x'.repeat(32), `${gateway.adminToken}x`, gateway.adminToken!.slice(1)]) {
      expect((await gateway.fetch('/api/session', { token })).status).toBe(401)
    }
  })

  it('does not even learn which routes there are', async () => {
    expect((await gateway.fetch('/api/no-such-thing', { token: '' })).status).toBe(401)
  })
})

describe('the token', () => {
  it('opens the API, and the address of the console carries it where no server sees it', async () => {
    const session = await (await gateway.fetch('/api/session')).json()
    expect(session).toMatchObject({ principal: 'console', gateway: { name: 'gantry', url: gateway.url } })
    expect(gateway.consoleUrl).toBe(`${gateway.url}/console/#token=${gateway.adminToken}`)
  })

  it('is in a file that only the owner can read', async () => {
    const file = join(gateway.gateway.model.stateDir, 'gateway.json')
    const state = JSON.parse(await readFile(file, 'utf8'))
    expect(state).toMatchObject({ url: gateway.url, token: gateway.adminToken, pid: process.pid })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('is not enough for a page of another site', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
      { origin: 'null' },
    ]) {
      const response = await gateway.fetch('/api/session', { headers: headers as Record<string, string> })
      expect(response.status).toBe(403)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('is not enough through a foreign name (DNS rebinding)', async () => {
    const headers = { host: 'evil.example', authorization: `Bearer ${gateway.adminToken}` }
    expect((await raw('/api/session', { headers })).status).toBe(403)
    expect((await raw('/console/', { headers })).status).toBe(403)
  })

  it('is never sent by a browser that was not asked to: there is no CORS', async () => {
    const preflight = await gateway.fetch('/api/overview', {
      method: 'OPTIONS',
      token: '',
      headers: { 'access-control-request-method': 'GET' },
    })
    expect(preflight.ok).toBe(false)
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(preflight.headers.get('set-cookie')).toBeNull()
  })
})

describe('a browser that signed in', () => {
  const KEY = 'k'.repeat(32)
  const signIn = async (key: string = KEY): Promise<string> => {
    const response = await gateway.fetch('/api/session', {
      method: 'POST',
      headers: { 'gantry-console': key },
    })
    return response.headers.get('set-cookie') ?? ''
  }
  const withOtherStart = (cookie: string): string =>
    cookie.replace(/=(.)/, (_, first) => (first === 'A' ? '=B' : '=A'))
  const asPage = (cookie: string, headers: Record<string, string> = { 'gantry-console': KEY }) =>
    raw('/api/session', { headers: { cookie: cookie.split(';')[0]!, ...headers } })

  it('gets a cookie that no script reads and no other site sends, and which does not show the token', async () => {
    const cookie = await signIn()
    expect(cookie).toMatch(
      /^gantry-console-\d+=[\w-]+; HttpOnly; SameSite=Strict; Path=\/api; Max-Age=2592000$/,
    )
    expect(cookie).not.toContain(gateway.adminToken!)
    expect((await asPage(cookie)).status).toBe(200)
  })

  it('is known by the cookie and the key of its page together, not by one of them', async () => {
    const cookie = await signIn()
    for (const headers of [{}, { 'gantry-console': 'x'.repeat(32) }, { 'gantry-console': '' }])
      expect((await asPage(cookie, headers as Record<string, string>)).status).toBe(401)
    for (const other of ['', `${cookie.split('=')[0]}=AAAA`, withOtherStart(cookie)])
      expect((await asPage(other)).status).toBe(401)
    expect(await signIn('short')).toBe('')
  })

  it('lends its cookie to no page of another port', async () => {
    const cookie = await signIn()
    const port = new URL(gateway.url).port
    const foreign = { 'gantry-console': KEY, origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }
    expect((await asPage(cookie, foreign)).status).toBe(403)
    expect((await asPage(cookie.replace(port, '1'))).status).toBe(401)
  })

  it('stays signed in when a program on another port sets a cookie of the same name', async () => {
    const cookie = await signIn()
    const [own] = cookie.split(';')
    const name = cookie.split('=')[0]
    const theirs = (await signIn('t'.repeat(32))).split(';')[0]
    for (const before of [`${name}=AAAA`, `${name}=`, theirs]) {
      const headers = { cookie: `${before}; ${own}`, 'gantry-console': KEY }
      expect((await raw('/api/session', { headers })).status).toBe(200)
    }
    const alone = { cookie: String(theirs), 'gantry-console': KEY }
    expect((await raw('/api/session', { headers: alone })).status).toBe(401)
  })

  it('signs out', async () => {
    const response = await gateway.fetch('/api/session', { method: 'DELETE' })
    expect(response.headers.get('set-cookie')).toMatch(/^gantry-console-\d+=; .*Max-Age=0$/)
  })
})

describe('a new token', () => {
  it('closes what the old one opened, cookies too, and is in the file for commands', async () => {
    const own = await adminGateway({ mcpServers: {} })
    try {
      const headers = { 'gantry-console': 'k'.repeat(32) }
      const signedIn = await own.fetch('/api/session', { method: 'POST', headers })
      const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
      const stream = await own.fetch('/api/events')
      const { address } = await own.api.call('renewToken', {})
      const token = address.split('#token=')[1]!
      expect(address).toBe(`${own.url}/console/#token=${token}`)
      expect(token).not.toBe(own.adminToken)
      await expect(stream.text()).rejects.toThrow()
      expect((await own.fetch('/api/session')).status).toBe(401)
      expect((await own.fetch('/api/session', { token: '', headers: { ...headers, cookie } })).status).toBe(
        401,
      )
      expect((await own.fetch('/api/session', { token })).status).toBe(200)
      const state = await readFile(join(own.gateway.model.stateDir, 'gateway.json'), 'utf8')
      expect(JSON.parse(state).token).toBe(token)
    } finally {
      await own.close()
    }
  })
})

describe('requests that are not right', () => {
  it('are told what is wrong, as JSON', async () => {
    const cases: [string, RequestInit, number, RegExp][] = [
      ['/api/nothing', {}, 404, /nothing at \/api\/nothing/],
      ['/api/overview', { method: 'POST' }, 405, /GET/],
      ['/api/targets/missing', {}, 404, /"missing"/],
      ['/api/why', {}, 400, /name/],
      ['/api/wire/abc', {}, 400, /id/],
      ['/api/events?topics=nonsense', {}, 400, /nonsense/],
      ['/api/trials', json({ text: 1 }), 400, /body/],
      ['/api/trials', json({ text: 'x', unknown: true }), 400, /body/],
      [
        '/api/trials',
        { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
        400,
        /JSON/,
      ],
      ['/api/trials', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }, 400, /JSON/],
      ['/api/playground/calls', { method: 'POST' }, 400, /body/],
    ]
    for (const [path, init, status, message] of cases) {
      const response = await gateway.fetch(path, init)
      expect([path, response.status]).toEqual([path, status])
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect((await response.json()).error.message).toMatch(message)
    }
  })

  it('are refused before they fill the memory', async () => {
    const headers = {
      authorization: `Bearer ${gateway.adminToken}`,
      'content-type': 'application/json',
      'content-length': String(100 * 1024 * 1024),
    }
    const response = await raw('/api/trials', { method: 'POST', headers })
    expect(response.status).toBe(413)
  })
})

function json(body: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

describe('the console', () => {
  it('comes with a policy that lets nothing in', async () => {
    const response = await gateway.fetch('/console/', { token: '' })
    expect([200, 503]).toContain(response.status)
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|\*|https?:/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('is at /console/ and serves nothing from outside its folder', async () => {
    const redirect = await gateway.fetch('/console', { token: '', redirect: 'manual' })
    expect([redirect.status, redirect.headers.get('location')]).toEqual([308, '/console/'])
    for (const path of ['/console/..%2f..%2fpackage.json', '/console/%2e%2e/package.json', '/console/%00']) {
      const { text } = await raw(path)
      expect(text).not.toContain('"workspaces"')
      expect(text).not.toContain('"name": "gantry"')
    }
    expect((await gateway.fetch('/console/', { method: 'POST', token: '' })).status).toBe(405)
  })
})

describe('with keys', () => {
  it('a key needs the scope for it', async () => {
    const guarded = await adminGateway({
      auth: {
        apiKeys: [
          { name: 'ops', key: 'a-long-enough-key-for-operations', scopes: ['gantry:admin'] },
          { name: 'app', key: 'a-long-enough-key-for-the-app', scopes: ['tools'] },
        ],
      },
      mcpServers: { demo: { module: 'gantry:demo' } },
    })
    try {
      const ops = await guarded.fetch('/api/session', { token: 'a-long-enough-key-for-operations' })
      expect(await ops.json()).toMatchObject({ principal: 'key:ops' })
      const token = 'a-long-enough-key-for-the-app'
      const session = await guarded.fetch('/api/session', { token })
      expect(await session.json()).toEqual({ principal: 'key:app', name: 'app', isPerson: false })
      const app = await guarded.fetch('/api/overview', { token })
      expect(app.status).toBe(403)
      expect((await app.json()).error.fix).toContain('gantry:admin')
      expect((await guarded.fetch('/api/session', { token: 'no-key-at-all-of-this-gateway' })).status).toBe(
        401,
      )
    } finally {
      await guarded.close()
    }
  })
})

describe('GET /api/openapi.json', () => {
  it('describes every route, and refers to nothing that it lacks', async () => {
    const document = await (await gateway.fetch('/api/openapi.json')).json()
    expect(document.openapi).toBe('3.1.0')
    for (const [name, { method, path }] of Object.entries(ROUTES)) {
      expect(document.paths[path][method.toLowerCase()].operationId).toBe(name)
    }
    const refs = JSON.stringify(document).match(/"\$ref":"[^"]+"/g)!
    expect(refs.length).toBeGreaterThan(50)
    for (const ref of new Set(refs)) {
      const name = /^"\$ref":"#\/components\/schemas\/([^"]+)"$/.exec(ref)?.[1]
      expect(Object.keys(document.components.schemas)).toContain(decodeURIComponent(name!))
    }
  })

  it('is what the contract says', async () => {
    const { execFile } = await import('node:child_process')
    const { promisify } = await import('node:util')
    await expect(
      promisify(execFile)(process.execPath, ['scripts/admin-schema.mjs', '--check']),
    ).resolves.toBeDefined()
  })
})

describe('answers', () => {
  const asked = (path: string, encoding: string, method = 'GET') =>
    raw(path, {
      method,
      headers: { authorization: `Bearer ${gateway.adminToken}`, 'accept-encoding': encoding },
    })

  it('are compressed as their reader takes them', async () => {
    const plain = await asked('/api/openapi.json', 'identity')
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const [accepted, used] of [
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['br;q=0, gzip', 'gzip'],
    ]) {
      const { headers } = await asked('/api/openapi.json', accepted!)
      expect(headers['content-encoding']).toBe(used)
      expect(headers.vary).toBe('accept-encoding')
      expect(Number(headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 3)
    }
    // It reads with a body, and has as many entries as the catalog.
    const seen = await asked('/api/access/seen', 'gzip', 'POST')
    expect([seen.status, seen.headers['content-encoding']]).toEqual([200, 'gzip'])
    const read = await gateway.fetch('/api/openapi.json')
    expect(await read.json()).toEqual(JSON.parse(plain.text))
  })

  it('are left alone when they are short, refuse, or sign in', async () => {
    for (const [path, method] of [
      ['/api/session', 'GET'],
      ['/api/nothing', 'GET'],
      ['/api/session', 'POST'],
    ]) {
      const { headers } = await asked(path!, 'gzip, br', method)
      expect([path, headers['content-encoding']]).toEqual([path, undefined])
    }
  })

  it('that are streams are not held up by compression', async () => {
    const { hostname, port } = new URL(gateway.url)
    const first = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${gateway.adminToken}`, 'accept-encoding': 'gzip, br' }
      const request = httpRequest({ hostname, port, path: '/api/events', headers }, (response) => {
        expect(response.headers['content-encoding']).toBeUndefined()
        response.once('data', (chunk) => {
          resolve(String(chunk))
          request.destroy()
        })
      })
      request.on('error', reject)
      request.end()
    })
    expect(first).toContain('event: hello')
  })
})
