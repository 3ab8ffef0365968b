import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createNodeFetch } from './fetch.node.ts'
import { call, json, open, resultFor, startServer } from './harness.test.node.ts'

// Implementations of one interface share their tests: the transports look `fetch` up for every request.
describe('the transports on createNodeFetch', async () => {
  beforeAll(() => {
    vi.stubGlobal('fetch', createNodeFetch())
  })
  afterAll(() => {
    vi.unstubAllGlobals()
  })
  await import('./http-client.test.ts')
  await import('./hostile.test.ts')
  await import('./legacy.test.ts')
  await import('./listen.test.ts')
  await import('./resume.test.ts')
  await import('./send.test.ts')
  await import('./sse-client.test.ts')
})

describe('createNodeFetch', () => {
  it('gives up connecting when the other side says nothing', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).resume())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const fetch = createNodeFetch({ connectTimeout: 50 })
    const wire = await open(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`, { fetch })
    const failed = wire.request(call())
    await expect(failed).rejects.toMatchObject({ code: 'network' })
    await expect(failed).rejects.toThrow('no connection within 50 ms')
    await wire.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['identity', (text: string) => text],
    ['deflate, Identity, gzip', (text: string) => gzipSync(deflateSync(text))],
  ])('reads answers that a proxy compressed with %s', async (encoding, compress) => {
    await using server = await startServer((seen, response) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
      response.writeHead(200, headers).end(compress(JSON.stringify(resultFor(seen))))
    })
    const wire = await open(server.url, { fetch: createNodeFetch() })
    expect(await wire.request(call())).toMatchObject({ result: { ok: true } })
    await wire.close()
  })

  it.each(['zstd', 'gzip, nonsense', 'gzip, gzip, gzip, gzip'])(
    'refuses what it cannot decode (%s)',
    async (encoding) => {
      let status = 200
      await using server = await startServer((seen, response) => {
        const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
        response.writeHead(status, headers).end(JSON.stringify(resultFor(seen)))
      })
      const wire = await open(server.url, { fetch: createNodeFetch() })
      await expect(wire.request(call())).rejects.toMatchObject({
        code: 'bad_response',
        message: expect.stringContaining(`"${encoding}"`),
      })
      // The status of an error says enough.
      status = 503
      await expect(wire.request(call())).rejects.toMatchObject({
        code: 'http_status',
        details: { status: 503, body: '' },
      })
      await wire.close()
    },
  )

  it('finds addresses in brackets, keeps the query and counts bytes', async () => {
    const seen: (string | undefined)[] = []
    const server = createHttpServer((request, response) => {
      seen.push(request.url, request.headers.host, request.headers['content-length'])
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve))
    const { port } = server.address() as AddressInfo
    const url = `http://[::1]:${port}/a%20b?c=d`
    await (await createNodeFetch()(url, { method: 'POST', body: 'né' })).text()
    expect(seen).toEqual(['/a%20b?c=d', `[::1]:${port}`, '3'])
    server.closeAllConnections()
    server.close()
  })

  it('opens no more connections than it may', async () => {
    await using server = await startServer((seen, response) => json(response, resultFor(seen)))
    const wire = await open(server.url, { fetch: createNodeFetch({ maxConnections: 2 }) })
    await Promise.all(Array.from({ length: 20 }, () => wire.request(call())))
    expect(server.connections()).toBeLessThanOrEqual(2)
    await wire.close()
  })
})
