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

describe('whoever has no token', () => {
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

  it('is never sent by a browser that was not asked to: there are no cookies and no CORS', async () => {
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
    const response = await raw('/api/trials', { method: 'POST', headers, body: undefined })
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
      const app = await guarded.fetch('/api/session', { token: 'a-long-enough-key-for-the-app' })
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
