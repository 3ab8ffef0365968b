import { describe, expect, it } from 'vitest'
import type { AuthProvider, AuthRequest } from './auth.ts'
import {
  call,
  connect,
  event,
  json,
  open,
  openStream,
  resultFor,
  sessions,
  startServer,
  until,
} from './harness.test.node.ts'
import { sse } from './sse-client.ts'

/** Gives out numbered tokens; a refusal gets the next one. */
function tokens(retry = true): AuthProvider & { refusals: { status: number; request: AuthRequest }[] } {
  const refusals: { status: number; request: AuthRequest }[] = []
  return {
    refusals,
    authorize: (request) => request.headers.set('authorization', `Bearer ${refusals.length}`),
    onUnauthorized: async (response, request) => {
      refusals.push({ status: response.status, request })
      return retry
    },
  }
}

const challenge = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="mcp:write"' }

describe('authorization', () => {
  it('retries with new credentials after 401 and after a scope challenge', async () => {
    await using server = await startServer((seen, response) => {
      if (seen.headers.authorization === 'Bearer 0') response.writeHead(401).end('no')
      else if (seen.headers.authorization === 'Bearer 1') response.writeHead(403, challenge).end('more')
      else json(response, resultFor(seen))
    })
    const auth = tokens()
    const wire = await open(server.url, { auth, headers: { authorization: 'Bearer own' } })
    expect(await wire.request(call())).toMatchObject({ result: { ok: true } })
    expect(auth.refusals.map(({ status }) => status)).toEqual([401, 403])
    expect(auth.refusals[0]?.request).toMatchObject({ url: server.url, method: 'POST' })
    await wire.close()
  })

  it.each([
    [401, {}, 'unauthorized'],
    [403, challenge, 'forbidden'],
  ])('asks a few times and then rejects HTTP %i %j as %s', async (status, headers, code) => {
    await using server = await startServer((_, response) => response.writeHead(status, headers).end('no'))
    const auth = tokens()
    const wire = await open(server.url, { auth })
    await expect(wire.request(call())).rejects.toMatchObject({ code, details: { status, body: 'no' } })
    expect(auth.refusals).toHaveLength(3)
    const once = await open(server.url, { auth: tokens(false) })
    await expect(once.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code })
    expect(server.seen).toHaveLength(5)
  })

  it('names the scope that a token lacks, and blames nothing else', async () => {
    await using server = await startServer((_, response) => response.writeHead(403, challenge).end('no'))
    const wire = await open(server.url)
    const error = await wire.request(call()).catch((thrown: Error) => thrown)
    expect(String(error)).toContain('lacks the scope "mcp:write"')
    expect(String(error)).not.toMatch(/Origin/)
  })

  it('does not ask for a plain 403', async () => {
    await using server = await startServer((_, response) => response.writeHead(403).end('origin'))
    const auth = tokens()
    const wire = await open(server.url, { auth })
    await expect(wire.request(call())).rejects.toMatchObject({ code: 'http_status' })
    expect(auth.refusals).toEqual([])
  })

  it('reads the error even when the provider has read the body', async () => {
    await using server = await startServer((_, response) => response.writeHead(401).end('no'))
    const auth = tokens()
    const onUnauthorized = async (response: Response): Promise<boolean> => (await response.text()) === ''
    const wire = await open(server.url, { auth: { ...auth, onUnauthorized } })
    await expect(wire.request(call())).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('wraps what a provider throws', async () => {
    await using server = await startServer((_, response) => response.writeHead(401).end('no'))
    const fail = async (): Promise<never> => {
      throw new Error('no browser')
    }
    for (const auth of [
      { ...tokens(), authorize: fail },
      { ...tokens(), onUnauthorized: fail },
    ]) {
      const wire = await open(server.url, { auth })
      const failed = wire.request(call())
      await expect(failed).rejects.toMatchObject({ code: 'unauthorized', cause: { message: 'no browser' } })
      await expect(failed).rejects.toThrow(server.url)
    }
  })

  it('a provider that never returns holds neither cancellation nor close', async () => {
    await using server = await startServer((_, response) => response.writeHead(401).end('no'))
    const auth = { ...tokens(), onUnauthorized: () => new Promise<boolean>(() => {}) }
    const wire = await open(server.url, { auth })
    const failed = wire.request(call(), { signal: AbortSignal.timeout(50) })
    await expect(failed).rejects.toMatchObject({ code: 'cancelled' })
    await wire.close()
  })

  it('puts credentials on GET and DELETE too, and asks nobody while closing', async () => {
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.method === 'DELETE') return response.writeHead(401).end()
        openStream(response)
        response.write(event({ jsonrpc: '2.0', method: 'x' }))
      }),
    )
    const auth = tokens()
    const wire = await connect(server.url, { auth })
    let messages = 0
    wire.onMessage = () => messages++
    wire.startListening?.()
    await until(() => messages === 1)
    await wire.close()
    expect(server.seen.map((seen) => [seen.method, seen.headers.authorization])).toEqual([
      ['POST', 'Bearer 0'],
      ['GET', 'Bearer 0'],
      ['DELETE', 'Bearer 0'],
    ])
    expect(auth.refusals).toEqual([])
  })
})

describe('redirects', () => {
  it.each([307, 308])('follows %i within the origin with body and credentials', async (status) => {
    await using server = await startServer((seen, response) => {
      if (seen.path === '/mcp') response.writeHead(status, { location: '/mcp/' }).end('moved')
      else json(response, resultFor(seen))
    })
    const urls: string[] = []
    const auth: AuthProvider = {
      authorize: (request) => {
        urls.push(request.url)
        request.headers.set('authorization', 'Bearer x')
      },
      onUnauthorized: async () => false,
    }
    const wire = await open(server.url, { auth })
    expect(await wire.request(call())).toMatchObject({ result: { ok: true } })
    expect(server.seen.map((seen) => seen.headers.authorization)).toEqual(['Bearer x', 'Bearer x'])
    expect(urls).toEqual([server.url, `${server.url}/`])
    await wire.close()
  })

  it.each([301, 302, 303, 307, 308])('never follows %i to another origin', async (status) => {
    await using other = await startServer((seen, response) => json(response, resultFor(seen)))
    await using server = await startServer((_, response) => {
      response.writeHead(status, { location: other.url }).end()
    })
    const wire = await open(server.url, { headers: { 'x-api-key': 'secret' } })
    const failed = wire.request(call())
    await expect(failed).rejects.toMatchObject({
      code: 'http_status',
      details: { status, location: other.url },
    })
    await expect(failed).rejects.toThrow(`use ${other.url} as the URL`)
    await expect(sse(server.url).open()).rejects.toMatchObject({ code: 'http_status' })
    expect(other.seen).toEqual([])
  })

  it.each([
    [302, '/elsewhere', 'would be lost'],
    [307, '/mcp', 'more than 5 times'],
    [307, 'http://[', 'no usable Location'],
    [307, undefined, 'no usable Location'],
  ])('refuses HTTP %i to %s: %s', async (status, location, text) => {
    await using server = await startServer((_, response) => {
      response.writeHead(status, location === undefined ? {} : { location }).end()
    })
    const wire = await open(server.url)
    await expect(wire.request(call())).rejects.toThrow(text)
  })

  it('explains the redirect that a browser hides', async () => {
    const opaque = { type: 'opaqueredirect', status: 0, headers: new Headers(), body: null } as Response
    const wire = await open('http://127.0.0.1:1/mcp', { fetch: async () => opaque })
    await expect(wire.request(call())).rejects.toThrow('give the transport the URL that it leads to')
  })
})

describe('connections', () => {
  it('are used again after answers, streams, notifications and errors', async () => {
    await using server = await startServer((seen, response) => {
      const kind = seen.message.params?.kind ?? 'accepted'
      if (kind === 'json') json(response, resultFor(seen))
      else if (kind === 'refused') response.writeHead(500).end('x'.repeat(10_000))
      else if (kind === 'accepted') response.writeHead(202).end()
      else {
        openStream(response)
        response.end(event(resultFor(seen)))
      }
    })
    const wire = await open(server.url)
    for (let round = 0; round < 20; round++) {
      for (const kind of ['json', 'stream', 'refused']) {
        const request = call()
        request.params = { kind }
        await wire.request(request).catch(() => {})
      }
      await wire.send({ jsonrpc: '2.0', method: 'notifications/x' })
    }
    expect(server.seen).toHaveLength(80)
    // One more may be made while the one before is on its way back to the pool.
    expect(server.connections()).toBeLessThanOrEqual(3)
    await wire.close()
  })
})
