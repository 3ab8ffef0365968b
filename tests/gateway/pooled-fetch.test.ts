import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ArrivingResults } from '../../packages/gateway/src/targets/fetch/arriving-results.ts'
import { createPooledFetch } from '../../packages/gateway/src/targets/fetch/pooled-fetch.ts'
import {
  call,
  open,
  resultFor,
  startServer,
} from '../../packages/mcp/src/transport/http/client/harness.test.node.ts'

const MB = 1024 * 1024
const pooledFetch = () => createPooledFetch(new ArrivingResults({ perCaller: 64 * MB, total: 128 * MB }))

// Implementations of one interface share their tests: the transports look `fetch` up for every request.
describe('the transports on the pools of a gateway', async () => {
  beforeAll(() => {
    vi.stubGlobal('fetch', pooledFetch())
  })
  afterAll(() => {
    vi.unstubAllGlobals()
  })
  const transport = '../../packages/mcp/src/transport'
  await import(`${transport}/http/client/http-client.test.ts`)
  await import(`${transport}/http/client/bombs.test.ts`)
  await import(`${transport}/http/client/hostile.test.ts`)
  await import(`${transport}/http/client/legacy.test.ts`)
  await import(`${transport}/http/client/listen.test.ts`)
  await import(`${transport}/http/client/resume.test.ts`)
  await import(`${transport}/http/client/send.test.ts`)
  await import(`${transport}/http/client/sse-client.test.ts`)
})

async function listen(handler: RequestListener) {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a%20b?c=d`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('createPooledFetch', () => {
  it('reads answers that a proxy compressed', async () => {
    await using server = await startServer((seen, response) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      response.writeHead(200, headers).end(gzipSync(JSON.stringify(resultFor(seen))))
    })
    const wire = await open(server.url, { fetch: pooledFetch() })
    expect(await wire.request(call())).toMatchObject({ result: { ok: true } })
    await wire.close()
  })

  it('keeps the query, counts bytes and takes no hint for the answer', async () => {
    const seen: (string | undefined)[] = []
    await using server = await listen((request, response) => {
      seen.push(request.url, request.headers['content-length'])
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.end('\ufeffyes')
    })
    const response = await pooledFetch()(server.url, { method: 'POST', body: 'né' })
    expect([response.status, await response.text(), ...seen]).toEqual([200, 'yes', '/a%20b?c=d', '3'])
  })

  it('uses connections again', async () => {
    const ports = new Set<number | undefined>()
    await using server = await listen((request, response) => {
      ports.add(request.socket.remotePort)
      response.end('ok')
    })
    const fetch = pooledFetch()
    for (let i = 0; i < 10; i++) await (await fetch(server.url, { method: 'GET' })).text()
    // One becomes free a turn of the event loop after its answer.
    expect(ports.size).toBeLessThanOrEqual(2)
  })

  it('lets a connection wait while nobody reads', async () => {
    let written = 0
    await using server = await listen((_, response) => {
      const chunk = Buffer.alloc(64 * 1024)
      const write = (): void => {
        while (written < 64 * 1024 * 1024) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', write)
        }
        response.end()
      }
      write()
    })
    const response = await pooledFetch()(server.url, { method: 'GET' })
    let last = -1
    // The sockets' own buffers fill up, then nothing moves any more.
    const isStill = () => {
      const before = last
      last = written
      return before === written
    }
    await expect.poll(isStill, { interval: 200 }).toBe(true)
    expect(written).toBeLessThan(32 * 1024 * 1024)
    let read = 0
    for await (const chunk of response.body!) read += chunk.length
    expect(read).toBe(64 * 1024 * 1024)
  })

  it('fails who reads when the connection breaks, and who waits when it is cancelled', async () => {
    await using server = await listen((request, response) => {
      if (request.method === 'GET') return
      response.writeHead(200, { 'content-length': '100' }).write('part')
      setTimeout(() => response.destroy(), 20)
    })
    const fetch = pooledFetch()
    const broken = await fetch(server.url, { method: 'POST', body: '{}' })
    await expect(broken.text()).rejects.toThrow()
    const abort = new AbortController()
    const waiting = fetch(server.url, { method: 'GET', signal: abort.signal })
    const why = new Error('enough')
    setTimeout(() => abort.abort(why), 20)
    await expect(waiting).rejects.toBe(why)
    await expect(fetch(server.url, { method: 'GET', signal: abort.signal })).rejects.toBe(why)
  })

  it('says that nobody listens', async () => {
    await expect(pooledFetch()('http://127.0.0.1:1/', { method: 'GET' })).rejects.toThrow('ECONNREFUSED')
  })
})
