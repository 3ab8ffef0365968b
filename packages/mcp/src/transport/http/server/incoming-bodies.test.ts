import { describe, expect, it } from 'vitest'
import { Server, tool } from '../../../server/index.ts'
import { until } from '../../../testing/fixtures/raw-peer.test.support.ts'
import { halfRequest } from '../../fixtures/half-request.test.node.ts'
import { HttpHost } from '../../fixtures/http-hosts.test.node.ts'
import type { Guard } from './reply.ts'

const MB = 1024 * 1024

const app = (): Server => new Server({ name: 's', tools: { ping: tool({ run: () => 'pong' }) } }) as Server

const guard: Guard = ({ headers }) =>
  headers.authorization === undefined
    ? { ok: false, status: 401, headers: { 'www-authenticate': 'Bearer' } }
    : {
        ok: true,
        auth: { principal: { kind: 'key', subject: headers.authorization }, scopes: [], claims: {} },
      }

const served = async (host: HttpHost, headers: Record<string, string> = {}): Promise<number> =>
  (await host.modern('tools/call', { name: 'ping' }, { headers })).status

describe('bodies that are being received', () => {
  it('the guard and the origin check answer before the body is there, and the connection ends', async () => {
    await using host = await HttpHost.open('node', app(), { guard })
    const stranger = halfRequest(host.port, { sent: 0 })
    await until(() => stranger.answer().includes('401'))
    const foreign = halfRequest(host.port, { sent: 0, headers: { origin: 'https://evil.example' } })
    await until(() => foreign.answer().includes('403'))
    await Promise.all([stranger.closed, foreign.closed])
    expect(await served(host, { authorization: 'a' })).toBe(200)
  })

  it('a caller who is shut out while the body comes in is not served', async () => {
    await using host = await HttpHost.open('node', app(), { guard })
    const half = halfRequest(host.port, { announced: 2000, sent: 1000, headers: { authorization: 'a' } })
    await until(() => host.service.meter.bodies.held > 0)
    await host.service.setGuard(() => ({ ok: false, status: 401, headers: {} }))
    half.socket.write(' '.repeat(1000))
    await until(() => half.answer() !== '')
    expect(half.answer()).toContain('401')
    half.socket.destroy()
  })

  it('the bodies of strangers are not kept', async () => {
    await using host = await HttpHost.open('node', app(), { guard })
    const strangers = Array.from({ length: 20 }, () => halfRequest(host.port))
    await Promise.all(strangers.map(({ closed }) => closed))
    expect(host.service.meter.bodies.held).toBe(0)
    expect(await served(host, { authorization: 'a' })).toBe(200)
  })

  it('a small body that is refused does not cost its client the connection', async () => {
    await using host = await HttpHost.open('node', app(), { guard })
    const refused = halfRequest(host.port, { announced: 1000, sent: 1000 })
    await until(() => refused.answer().includes('401'))
    refused.socket.write(
      `GET /mcp HTTP/1.1\r\nhost: 127.0.0.1:${host.port}\r\nauthorization: a\r\naccept: application/json\r\n\r\n`,
    )
    await until(() => refused.answer().includes('405'))
    refused.socket.destroy()
  })

  it('one caller is refused at its share with 429, and others are served', async () => {
    const limits = { receiving: { perCaller: 20 * MB, total: 60 * MB } }
    await using host = await HttpHost.open('node', app(), { guard, limits })
    const halves = Array.from({ length: 4 }, () =>
      halfRequest(host.port, { headers: { authorization: 'greedy' } }),
    )
    await until(() => halves.filter(({ answer }) => answer().includes('429')).length === 3)
    const refused = halves.find(({ answer }) => answer() !== '')!
    expect(refused.answer()).toMatch(/^HTTP\/1\.1 429 .*\r\n/)
    expect(refused.answer()).toMatch(/retry-after: \d+/i)
    expect(refused.answer()).toContain('"reason":"bodies"')
    expect(host.service.meter.bodies.held).toBeLessThanOrEqual(20 * MB)
    expect(await served(host, { authorization: 'other' })).toBe(200)
    expect(await served(host, { authorization: 'greedy' })).toBe(200)
    for (const { socket } of halves) socket.destroy()
    await until(() => host.service.meter.bodies.held === 0)
  })

  it('all callers together are refused at the total', async () => {
    const limits = { receiving: { perCaller: 20 * MB, total: 32 * MB } }
    await using host = await HttpHost.open('node', app(), { guard, limits })
    const halves = ['a', 'b', 'c'].map((authorization) =>
      halfRequest(host.port, { headers: { authorization } }),
    )
    await until(() => halves.some(({ answer }) => answer().includes('429')))
    expect(host.service.meter.bodies.held).toBeLessThanOrEqual(32 * MB)
    for (const { socket } of halves) socket.destroy()
  })

  it('a body that does not arrive in time is refused with 408, and the connection ends', async () => {
    await using host = await HttpHost.open('node', app(), { limits: { bodyTimeout: 100 } })
    const slow = halfRequest(host.port, { announced: 100, sent: 50 })
    await slow.closed
    expect(slow.answer()).toMatch(/^HTTP\/1\.1 408 /)
    expect(host.service.meter.bodies.held).toBe(0)
  })

  it('the Web handler has the same limits', async () => {
    const limits = { bodyTimeout: 100, receiving: { perCaller: MB, total: MB } }
    await using host = await HttpHost.open('fetch', app(), { limits, guard })
    const post = (body: ReadableStream, headers: Record<string, string>): Promise<Response> =>
      host.request({
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        duplex: 'half',
      } as RequestInit)
    let cancelled = false
    const endless = (chunk: Uint8Array | undefined) =>
      new ReadableStream({
        start: (controller) => {
          for (let sent = 0; chunk && sent < 2; sent++) controller.enqueue(chunk)
        },
        cancel: () => {
          cancelled = true
        },
      })
    expect((await post(endless(undefined), {})).status).toBe(401)
    expect(cancelled).toBe(true)
    expect((await post(endless(undefined), { authorization: 'a' })).status).toBe(408)
    expect((await post(endless(new Uint8Array(2 * MB)), { authorization: 'a' })).status).toBe(429)
  })
})
