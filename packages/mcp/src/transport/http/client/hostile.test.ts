import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { McpError } from '../../../jsonrpc/index.ts'
import {
  type Answer,
  call,
  event,
  json,
  legacy,
  modern,
  open,
  openStream,
  progress,
  resultFor,
  startServer,
  until,
} from './harness.test.node.ts'

/** Requests of both eras against one misbehaving server, each expected to fail in the same way. */
async function expectBoth(answer: Answer, expected: object, options = {}): Promise<void> {
  await using server = await startServer(answer)
  const wire = await open(server.url, options)
  for (const request of [modern('tools/call', { name: 'x' }), call()]) {
    await expect(wire.request(request)).rejects.toMatchObject(expected)
  }
  await wire.close()
  await until(() => server.unfinished() === 0)
}

describe('http, servers that misbehave', () => {
  it('a stream that ends without the answer fails at once', async () => {
    await expectBoth(
      (_, response) => {
        openStream(response)
        response.end(event(progress(1)))
      },
      { code: 'closed', message: expect.stringContaining('without the answer to tools/call') },
    )
  })

  it('a modern stream is not resumed even when it has event ids', async () => {
    await using server = await startServer((_, response) => {
      openStream(response)
      response.end(`retry: 1\n${event(progress(1), 'e-1')}`)
    })
    const wire = await open(server.url)
    await expect(wire.request(modern('tools/list'))).rejects.toMatchObject({ code: 'closed' })
    expect(server.seen).toHaveLength(1)
    await wire.close()
  })

  it('a connection that breaks in the middle of a stream or of a body', async () => {
    await expectBoth(
      (_, response) => {
        openStream(response)
        response.write('data: {"jsonrpc"')
        setTimeout(() => response.destroy(), 10)
      },
      { code: 'closed' },
    )
    await expectBoth(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
        response.write('{"jsonrpc"')
        setTimeout(() => response.destroy(), 10)
      },
      { code: 'closed' },
    )
  })

  it('a body that is not JSON, not a message, or the answer to something else', async () => {
    const body = (text: string, expected: object): Promise<void> =>
      expectBoth((_, response) => response.setHeader('content-type', 'application/json').end(text), expected)
    await body('garbage', { code: 'bad_response', details: { body: 'garbage' } })
    await body('', { code: 'bad_response' })
    await body('[]', { code: 'bad_response' })
    await body('[1', { code: 'bad_response' })
    await body('null', { code: 'bad_response' })
    await body('{"jsonrpc":"2.0","id":"other","result":{}}', { code: 'bad_response' })
    await body('{"jsonrpc":"2.0","method":"notifications/message"}', { code: 'bad_response' })
  })

  it('an answer whose result is not an object is refused without waiting for the stream to end', async () => {
    await expectBoth(
      (seen, response) => {
        openStream(response)
        response.write(event({ jsonrpc: '2.0', id: seen.message.id, result: 'text' }))
      },
      { code: 'bad_response', message: expect.stringContaining('malformed') },
    )
  })

  it('garbage, unknown ids and second answers on a stream are reported and skipped', async () => {
    const errors: McpError[] = []
    await using server = await startServer((seen, response) => {
      openStream(response)
      const other = { jsonrpc: '2.0', id: 'other', result: {} }
      response.write(`data: garbage\n\nevent: other\ndata: ignored\n\nnonsense\n\n${event(other)}`)
      response.end(event(resultFor(seen)) + event(resultFor(seen, { second: true })))
    })
    const wire = await open(server.url, { onProtocolError: (error) => errors.push(error) })
    expect(await wire.request(modern('tools/list'))).toMatchObject({ result: { ok: true } })
    await until(() => errors.length === 3)
    expect(errors.map((error) => error.code)).toEqual(['parse_failed', 'bad_response', 'bad_response'])
    expect(errors[2]?.message).toContain('twice')
    await wire.close()
  })

  it('handlers and reporters that throw disturb nothing', async () => {
    const fail = (): never => {
      throw new Error('handler')
    }
    await using server = await startServer((seen, response) => {
      openStream(response)
      response.end(`data: garbage\n\n${event(progress(1))}${event(resultFor(seen))}`)
    })
    const wire = await open(server.url, { onProtocolError: fail })
    wire.onMessage = fail
    expect(await wire.request(legacy('x'), { onMessage: fail })).toMatchObject({ result: { ok: true } })
    await wire.close()
  })

  it.each([
    ['text/html', '<html>login</html>'],
    ['text/plain', '{"jsonrpc":"2.0"}'],
  ])('the content type %s', async (type, text) => {
    await expectBoth((_, response) => response.setHeader('content-type', type).end(text), {
      code: 'bad_response',
      message: expect.stringMatching(/HTTP 200 and .*MCP endpoint/),
      details: { status: 200, body: text },
    })
  })

  it('202 or 204 for a request', async () => {
    for (const status of [202, 204]) {
      await expectBoth((_, response) => response.writeHead(status).end(), {
        code: 'bad_response',
        details: { status },
      })
    }
  })

  it('bodies and events larger than the limit', async () => {
    const limit = { maxMessageBytes: 10_000 }
    const huge = (seen: Parameters<Answer>[0]): object => resultFor(seen, { text: 'x'.repeat(20_000) })
    await expectBoth((seen, response) => json(response, huge(seen)), { code: 'too_large' }, limit)
    await expectBoth(
      (seen, response) => {
        response.setHeader('content-type', 'application/json').write(JSON.stringify(huge(seen)))
      },
      { code: 'too_large' },
      limit,
    )
    await expectBoth(
      (seen, response) => {
        const body = gzipSync(JSON.stringify(huge(seen)))
        const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
        response.writeHead(200, { ...headers, 'content-length': body.length }).end(body)
      },
      { code: 'too_large' },
      limit,
    )
    await expectBoth(
      (seen, response) => {
        openStream(response)
        response.write(event(huge(seen)))
      },
      { code: 'too_large' },
      limit,
    )
  })

  it('an error page that is huge or never ends is an error all the same', async () => {
    const expected = { code: 'http_status', details: { status: 500 } }
    await expectBoth((_, response) => response.writeHead(500).end('x'.repeat(20_000)), expected, {
      maxMessageBytes: 10_000,
    })
    await using server = await startServer((_, response) => response.writeHead(500).write('oops'))
    const wire = await open(server.url)
    const failed = [wire.request(call()), wire.send({ jsonrpc: '2.0', method: 'x' })]
    for (const settled of await Promise.allSettled(failed)) {
      expect(settled).toMatchObject({
        reason: { code: 'http_status', details: { status: 500, body: 'oops' } },
      })
    }
    await until(() => server.unfinished() === 0)
    await wire.close()
  })

  it('a stream that stays open after the answer is closed from here after a while', async () => {
    let closed = 0
    await using server = await startServer((seen, response) => {
      openStream(response)
      response.write(event(resultFor(seen)))
      response.on('close', () => closed++)
    })
    const wire = await open(server.url)
    await wire.request(modern('tools/list'))
    expect(closed).toBe(0)
    await until(() => closed === 1)
    await wire.close()
  })

  it('a notification that is answered with an endless stream is accepted, and the stream closed', async () => {
    let closed = 0
    await using server = await startServer((_, response) => {
      openStream(response)
      response.on('close', () => closed++)
    })
    const wire = await open(server.url)
    await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await until(() => closed === 1)
    await wire.close()
  })

  it('an answer in one-byte pieces', async () => {
    await using server = await startServer((seen, response) => {
      openStream(response)
      const bytes = Buffer.from(`\ufeff${event(resultFor(seen, { text: '世界 😀' }))}`)
      let index = 0
      const timer = setInterval(() => {
        if (index < bytes.length) response.write(bytes.subarray(index, ++index))
        else {
          clearInterval(timer)
          response.end()
        }
      }, 0)
    })
    const wire = await open(server.url)
    expect(await wire.request(call())).toMatchObject({ result: { text: '世界 😀' } })
    await wire.close()
  })

  it('something that does not speak HTTP, or hangs up at once', async () => {
    for (const behave of [
      (socket: Socket) => socket.end('SSH-2.0-x\r\n'),
      (socket: Socket) => socket.destroy(),
    ]) {
      await using server = await startRaw(behave)
      const wire = await open(server.url)
      await expect(wire.request(modern('tools/list'))).rejects.toMatchObject({ code: 'network' })
      await expect(wire.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code: 'network' })
      await wire.close()
    }
  })

  it('a server that never answers holds nothing back once the caller gives up', async () => {
    await using server = await startServer(() => {})
    const wire = await open(server.url)
    const failed = wire.request(call(), { signal: AbortSignal.timeout(30) })
    await expect(failed).rejects.toMatchObject({ code: 'cancelled' })
    await until(() => server.unfinished() === 0)
    await wire.close()
  })

  it('a fetch that ignores its signal, throws or rejects with nothing', async () => {
    const stuck = await open('http://127.0.0.1:1/', { fetch: () => new Promise<Response>(() => {}) })
    await expect(stuck.request(call(), { signal: AbortSignal.timeout(10) })).rejects.toMatchObject({
      code: 'cancelled',
    })
    const pending = stuck.request(call())
    const settled = Promise.allSettled([pending])
    await stuck.close()
    await expect(pending).rejects.toMatchObject({ code: 'closed' })
    await settled
    const throwing = (): never => {
      throw new Error('broken')
    }
    const broken = await open('http://127.0.0.1:1/', { fetch: throwing })
    await expect(broken.request(call())).rejects.toMatchObject({ code: 'network' })
    const empty = await open('http://127.0.0.1:1/', { fetch: () => Promise.reject(undefined) })
    await expect(empty.request(call())).rejects.toMatchObject({ code: 'network' })
  })
})

async function startRaw(behave: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {}).resume()
    behave(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
