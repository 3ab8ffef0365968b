import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { IncomingMessage } from '../../../exchange/index.ts'
import type { McpError } from '../../../jsonrpc/index.ts'
import {
  type Answer,
  event,
  legacy,
  openStream,
  resultFor,
  type Seen,
  startServer,
  until,
} from './harness.test.node.ts'
import { sse } from './sse-client.ts'

/** An HTTP+SSE server: `answer` says what to put onto the stream for a message. */
function sseServer(
  answer: (seen: Seen, stream: ServerResponse) => void,
  endpoint = '/messages?id=1',
): Answer {
  let stream: ServerResponse | undefined
  return (seen, response) => {
    if (seen.method === 'GET') {
      stream = response
      openStream(response)
      response.write(`event: endpoint\ndata: ${endpoint}\n\n`)
    } else {
      response.writeHead(202).end('Accepted')
      answer(seen, stream!)
    }
  }
}

describe('sse', () => {
  it('posts to the endpoint, and answers out of order each find their request', async () => {
    const waiting: Seen[] = []
    await using server = await startServer(
      sseServer((seen, stream) => {
        waiting.push(seen)
        if (waiting.length === 3)
          for (const one of waiting.reverse()) stream.write(event(resultFor(one, { id: one.message.id })))
      }),
    )
    const wire = await sse(server.url, { headers: { 'x-key': 'k' } }).open()
    wire.setProtocolVersion?.('2024-11-05')
    const requests = [legacy('a'), legacy('b'), legacy('c')]
    const answers = await Promise.all(requests.map((request) => wire.request(request)))
    expect(answers).toEqual(requests.map(({ id }) => ({ jsonrpc: '2.0', id, result: { id } })))
    expect(server.seen.map((seen) => seen.path)).toEqual(['/mcp', ...Array(3).fill('/messages?id=1')])
    expect(server.seen.every((seen) => seen.headers['x-key'] === 'k')).toBe(true)
    expect(server.seen[1]?.headers['mcp-protocol-version']).toBe('2024-11-05')
    await wire.close()
  })

  it('delivers what the server sends, reports what makes no sense, and sends answers back', async () => {
    const errors: McpError[] = []
    await using server = await startServer(
      sseServer((seen, stream) => {
        if (seen.message.method !== 'go') return
        stream.write(event({ jsonrpc: '2.0', id: 1, method: 'roots/list' }))
        stream.write(
          `event: endpoint\ndata: /other\n\ndata: garbage\n\n${event({ jsonrpc: '2.0', id: 'x', result: {} })}`,
        )
        stream.write(event(resultFor(seen)) + event(resultFor(seen)))
      }),
    )
    const wire = await sse(server.url, { onProtocolError: (error) => errors.push(error) }).open()
    const messages: IncomingMessage[] = []
    wire.onMessage = (message) => {
      messages.push(message)
      throw new Error('handler')
    }
    expect(await wire.request(legacy('go'))).toMatchObject({ result: { ok: true } })
    await wire.send({ jsonrpc: '2.0', id: 1, result: { roots: [] } })
    expect(server.seen.at(-1)).toMatchObject({ path: '/messages?id=1', message: { id: 1 } })
    expect(messages).toMatchObject([{ method: 'roots/list' }])
    expect(errors.map((error) => error.code)).toEqual([
      'bad_response',
      'parse_failed',
      'bad_response',
      'bad_response',
    ])
    await wire.close()
  })

  it('rejects what is pending and says so once when the stream is lost', async () => {
    await using server = await startServer(sseServer((_, stream) => stream.destroy()))
    const wire = await sse(server.url).open()
    const reasons: unknown[] = []
    wire.onClose = (reason) => reasons.push(reason)
    await expect(wire.request(legacy('x'))).rejects.toMatchObject({
      code: 'closed',
      details: { url: server.url },
    })
    expect(reasons).toMatchObject([{ code: 'closed' }])
    await expect(wire.request(legacy('x'))).rejects.toMatchObject({ code: 'closed' })
    await wire.close()
    expect(reasons).toHaveLength(1)
  })

  it('close ends the stream and rejects what is pending', async () => {
    let open = true
    await using server = await startServer(
      sseServer((_, stream) => {
        stream.on('close', () => {
          open = false
        })
      }),
    )
    const wire = await sse(server.url).open()
    const reasons: unknown[] = []
    wire.onClose = (reason) => reasons.push(reason)
    const pending = wire.request(legacy('x'))
    const settled = Promise.allSettled([pending])
    await until(() => server.seen.length === 2)
    await wire.close()
    await expect(pending).rejects.toMatchObject({ code: 'closed' })
    await settled
    await until(() => !open)
    expect(reasons).toEqual([undefined])
  })

  it('cancellation forgets the request; a late answer is known as one and harmless', async () => {
    const errors: McpError[] = []
    const lateIds: unknown[] = []
    let late = (): void => {}
    await using server = await startServer(
      sseServer((seen, stream) => {
        late = () => stream.write(event(resultFor(seen)))
      }),
    )
    const wire = await sse(server.url, { onProtocolError: (error) => errors.push(error) }).open()
    wire.onLateAnswer = (id) => lateIds.push(id)
    const abort = new AbortController()
    const request = legacy('x')
    const failed = wire.request(request, { signal: abort.signal })
    await expect(wire.request(request)).rejects.toMatchObject({ code: 'unsupported' })
    await until(() => server.seen.length === 2)
    abort.abort()
    await expect(failed).rejects.toMatchObject({ code: 'cancelled' })
    late()
    await until(() => lateIds.length === 1)
    expect([lateIds, errors]).toEqual([[request.id], []])
    await wire.close()
  })

  it.each([
    ['https://evil.example.com/messages', 'another origin'],
    ['//evil.example.com/messages', 'another origin'],
    ['http://[', 'not a URL'],
  ])('refuses the endpoint %s: %s', async (endpoint, text) => {
    await using server = await startServer(sseServer(() => {}, endpoint))
    await expect(sse(server.url).open()).rejects.toThrow(text)
    await until(() => server.unfinished() === 0)
  })

  it('says what is wrong when there is no such stream', async () => {
    const answers: Answer[] = [
      (_, response) => response.writeHead(405).end('no'),
      (_, response) => response.writeHead(401).end('no'),
      (_, response) => response.setHeader('content-type', 'text/html').end('<html>'),
      (_, response) => {
        openStream(response)
        response.end('data: {}\n\n')
      },
      (_, response) => {
        openStream(response)
        setTimeout(() => response.destroy(), 10)
      },
      (_, response) => openStream(response),
      () => {},
    ]
    const codes: unknown[] = []
    for (const answer of answers) {
      await using server = await startServer(answer)
      const failed = await sse(server.url, { connectTimeout: 500 })
        .open()
        .catch((error: McpError) => error)
      expect(failed).toMatchObject({ message: expect.stringContaining(server.url) })
      codes.push((failed as McpError).code)
    }
    const expected = [
      'http_status',
      'unauthorized',
      'bad_response',
      'bad_response',
      'network',
      'timeout',
      'timeout',
    ]
    expect(codes).toEqual(expected)
  })

  it('opening can be cancelled', async () => {
    await using server = await startServer((_, response) => openStream(response))
    const failed = sse(server.url).open({ signal: AbortSignal.timeout(30) })
    await expect(failed).rejects.toMatchObject({ code: 'cancelled' })
    await until(() => server.unfinished() === 0)
  })

  it.each([
    [404, 'Session not found', 'session_lost'],
    [400, 'No transport found for sessionId', 'session_lost'],
    [500, 'oops', 'http_status'],
  ])('a POST refused with HTTP %i %s rejects with %s', async (status, body, code) => {
    await using server = await startServer((seen, response) => {
      if (seen.method === 'POST') return response.writeHead(status).end(body)
      openStream(response)
      response.write('event: endpoint\ndata: /messages\n\n')
    })
    const wire = await sse(server.url).open()
    await expect(wire.request(legacy('x'))).rejects.toMatchObject({ code, details: { status } })
    await expect(wire.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code })
    await wire.close()
  })
})
