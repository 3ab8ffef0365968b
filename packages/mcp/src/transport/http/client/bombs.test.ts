import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuthProvider } from './auth.ts'
import { call, open } from './harness.test.node.ts'
import {
  type HostileAnswer,
  type HostileHttp,
  startHostileHttp,
} from '../../fixtures/hostile-http.test.node.ts'

const MEGABYTE = 1024 * 1024
/** What a client of ours may grow by: its limits, the buffers of the socket, and what the collector has left. */
const MAY_GROW = 96 * MEGABYTE

const STATUSES = [
  ...['000', '099', '200', '201', '202', '203', '204', '205', '206', '226', '299'],
  ...['300', '301', '302', '303', '304', '305', '307', '308', '400', '401', '403', '404', '410', '429'],
  ...['500', '502', '503', '599', '600', '700', '999'],
].map((status) => `${status} Text`)

/** A provider that reads what it is given, as many do to find out why they were refused. */
const curious: AuthProvider = {
  authorize() {},
  async onUnauthorized(response) {
    await response.text()
    return false
  },
}

describe('http, bodies without a sensible end', () => {
  let peer: HostileHttp
  beforeAll(async () => {
    peer = await startHostileHttp()
  })
  afterAll(() => peer[Symbol.asyncDispose]())

  /** Asks once, expects an error of ours, and measures the memory of the process meanwhile. */
  async function survives(answer: HostileAnswer): Promise<void> {
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 5)
    const wire = await open(peer.url(answer), {
      maxMessageBytes: MEGABYTE,
      connectTimeout: 2_000,
      auth: curious,
    })
    try {
      const end = await wire.request(call()).then(
        (response) => ({ name: 'answered', response }),
        (error: Error) => error,
      )
      expect.soft(end, JSON.stringify(answer)).toMatchObject({ name: 'McpError' })
    } finally {
      clearInterval(watch)
      await wire.close()
    }
    expect.soft((most - before) / MEGABYTE, JSON.stringify(answer)).toBeLessThan(MAY_GROW / MEGABYTE)
  }

  it.each(['gzip', 'deflate', 'br', 'GZIP', 'x-gzip', 'gzip, gzip', 'identity', 'zstd'])(
    'a small body that decodes to a large one, with every status (%s)',
    async (encoding) => {
      const body = encoding === 'br' ? 'br' : 'gzip'
      for (const status of STATUSES) await survives({ status, encoding, body, framing: 'length' })
    },
  )

  it.each(['length', 'chunked', 'close'] as const)('what is not what it says (%s)', async (framing) => {
    for (const status of ['200 OK', '205 Text', '401 Text', '500 Text']) {
      for (const encoding of ['gzip', 'deflate', 'br']) {
        await survives({ status, encoding, body: 'garbage', framing })
        await survives({ status, encoding, body: 'none', framing })
      }
    }
  })

  it.each(['chunked', 'close'] as const)('a body that never ends (%s)', async (framing) => {
    for (const status of STATUSES) await survives({ status, body: 'flood', framing })
  })

  it('an event stream of compressed spaces', async () => {
    const type = 'text/event-stream'
    await survives({ status: '200 OK', encoding: 'gzip', type, body: 'gzip', framing: 'length' })
    await survives({ status: '200 OK', type, body: 'flood', framing: 'chunked' })
  })

  it('headers that no response of `fetch` may have', async () => {
    for (const status of ['200 OK', '401 Text', '500 Text']) {
      for (const extra of [
        'x-a: \xff\xfe\x80\r\n',
        'x-b: \t \r\n',
        'location: http://[\r\n',
        ': nothing\r\n',
      ]) {
        await survives({ status, extra, body: 'none', framing: 'length' })
      }
    }
    await survives({ status: '307 Text', extra: 'location: //\r\n', body: 'none', framing: 'length' })
    await survives({ status: '101 Switching', extra: 'upgrade: x\r\n', body: 'none', framing: 'close' })
  })
})
