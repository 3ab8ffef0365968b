import { describe, expect, it } from 'vitest'
import type { IncomingMessage, Wire } from '../../../exchange/index.ts'
import { http } from './http-client.ts'
import {
  call,
  connect,
  errorFor,
  event,
  initialize,
  json,
  legacy,
  openStream,
  progress,
  resultFor,
  sessions,
  startServer,
  until,
} from './harness.test.node.ts'

describe('http, legacy sessions', () => {
  it('carries the session and the negotiated version after initialize, and ends the session with DELETE', async () => {
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.message.id === undefined) response.writeHead(seen.method === 'POST' ? 202 : 405).end()
        else json(response, resultFor(seen))
      }),
    )
    const wire = await connect(server.url)
    await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await wire.request(call())
    await wire.send({ jsonrpc: '2.0', id: 9, result: {} })
    await wire.close()
    const sent = server.seen.map(({ method, headers }) => [
      method,
      headers['mcp-session-id'],
      headers['mcp-protocol-version'],
      headers['mcp-method'],
    ])
    expect(sent).toEqual([
      ['POST', undefined, undefined, undefined],
      ['POST', 'session-1', '2025-11-25', undefined],
      ['POST', 'session-1', '2025-11-25', undefined],
      ['POST', 'session-1', '2025-11-25', undefined],
      ['DELETE', 'session-1', '2025-11-25', undefined],
    ])
  })

  it('closes in time when the server does not answer DELETE', async () => {
    await using server = await startServer(sessions(() => {}))
    const wire = await connect(server.url)
    const started = performance.now()
    await wire.close()
    expect(performance.now() - started).toBeLessThan(30_000)
  })

  it('refuses a session id that could not be sent back', async () => {
    await using server = await startServer((seen, response) => {
      json(response, resultFor(seen), 200, { 'Mcp-Session-Id': 'two words' })
    })
    const wire = await http(server.url).open()
    await expect(wire.request(initialize())).rejects.toMatchObject({ code: 'bad_response' })
  })

  it.each([
    [404, 'text/plain', ''],
    [
      404,
      'application/json',
      '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}',
    ],
    [
      404,
      'application/json',
      '{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Not Found: Session has been terminated"}}',
    ],
    [
      400,
      'application/json',
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}',
    ],
    [
      400,
      'application/json',
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}',
    ],
    [400, 'text/plain', 'Invalid or missing session ID'],
    [400, 'text/plain', 'Invalid session ID'],
    [400, 'text/plain', 'session expired'],
    [400, 'text/plain', 'Unknown session: 1234'],
    [400, 'text/plain', 'Session ID 1868a90c does not exist'],
    [400, 'text/plain', 'No transport found for sessionId'],
  ])('HTTP %i %s %s means that the session is lost', async (status, type, body) => {
    await using server = await startServer(
      sessions((_, response) => response.writeHead(status, { 'content-type': type }).end(body)),
    )
    for (const meet of [
      (wire: Wire) => wire.request(call()),
      (wire: Wire) => wire.send({ jsonrpc: '2.0', method: 'x' }),
      (wire: Wire) => wire.send({ jsonrpc: '2.0', id: 7, result: {} }),
    ]) {
      const wire = await connect(server.url)
      const closed: unknown[] = []
      wire.onClose = (reason) => closed.push(reason)
      await expect(meet(wire)).rejects.toMatchObject({ code: 'session_lost', details: { status } })
      expect(closed).toMatchObject([{ code: 'session_lost' }])
      const seen = server.seen.length
      await expect(wire.request(call())).rejects.toMatchObject({ code: 'session_lost' })
      await expect(wire.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code: 'session_lost' })
      await wire.close()
      expect([server.seen.length, closed.length]).toEqual([seen, 1])
    }
  })

  it.each([
    [-32001, 'Session not found'],
    [-32000, 'Bad Request: No valid session ID provided'],
    [-32000, 'Bad Request: Server not initialized'],
    [-32600, 'Missing session ID'],
  ])('HTTP 200 with %i %s means that the session is lost', async (code, message) => {
    await using server = await startServer(
      sessions((seen, response) => json(response, errorFor(seen, code, message))),
    )
    const wire = await connect(server.url)
    await expect(wire.request(call())).rejects.toMatchObject({ code: 'session_lost' })
    await wire.close()
  })

  it.each([
    [200, 'JSON'],
    [200, 'an event'],
    [400, 'JSON'],
    [400, 'an event'],
  ])('HTTP %i with the same words is an answer when a ping is answered (as %s)', async (status, form) => {
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.message.method !== 'ping') {
          return json(response, errorFor(seen, -32000, 'Session expired'), status)
        }
        if (form === 'JSON') return json(response, resultFor(seen))
        openStream(response)
        response.end(event(resultFor(seen)))
      }),
    )
    const wire = await connect(server.url)
    for (let times = 0; times < 2; times++) {
      expect(await wire.request(call())).toMatchObject({ error: { message: 'Session expired' } })
    }
    await wire.close()
  })

  it('HTTP 200 with an error that only speaks of a session is an answer', async () => {
    await using server = await startServer(
      sessions((seen, response) => json(response, errorFor(seen, -32000, 'Your bank says: session expired'))),
    )
    const wire = await connect(server.url)
    expect(await wire.request(call())).toMatchObject({ error: { code: -32000 } })
    await wire.close()
  })

  it.each([
    [404, ''],
    [404, 'Session not found'],
    [400, 'Invalid session ID'],
  ])('the GET stream meets HTTP %i %s first: a ping confirms it', async (status, text) => {
    let isForgotten = false
    await using server = await startServer(
      sessions((seen, response) => {
        if (isForgotten) return void response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
        if (seen.method !== 'GET') return void response.writeHead(202).end()
        isForgotten = true
        openStream(response)
        response.end(': hello\n\n')
      }),
    )
    const wire = await connect(server.url)
    const closed: unknown[] = []
    wire.onClose = (reason) => closed.push(reason)
    wire.startListening?.()
    await until(() => closed.length === 1)
    expect(closed).toMatchObject([{ code: 'session_lost' }])
    expect(server.seen.at(-1)?.message.method).toBe('ping')
    await wire.close()
  })

  it('a server that knows sessions but not on its GET stream stays connected', async () => {
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.method === 'GET') response.writeHead(400).end('Invalid session ID')
        else if (seen.message.id === undefined) response.writeHead(202).end()
        else json(response, resultFor(seen))
      }),
    )
    const wire = await connect(server.url)
    wire.startListening?.()
    await until(() => server.seen.some((seen) => seen.message.method === 'ping'))
    expect(await wire.request(call())).toMatchObject({ result: {} })
    await wire.close()
  })

  it.each([
    [404, -32601, 'Method not found'],
    [400, -32602, 'Invalid params: name is missing'],
    [400, -32000, 'Bad Request: unsupported protocol version'],
  ])('HTTP %i with %i %s is an answer, not a lost session', async (status, code, message) => {
    await using server = await startServer(
      sessions((seen, response) => json(response, errorFor(seen, code, message), status)),
    )
    const wire = await connect(server.url)
    expect(await wire.request(call())).toMatchObject({ error: { code, message } })
    await wire.close()
  })

  it('404 without a session is an ordinary HTTP error', async () => {
    await using server = await startServer((_, response) => response.writeHead(404).end('Session not found'))
    const wire = await http(server.url).open()
    await expect(wire.request(initialize())).rejects.toMatchObject({ code: 'http_status' })
  })

  it('rejects a notification that is refused, and one that is never accepted', async () => {
    await using server = await startServer((seen, response) => {
      if (seen.message.method === 'refused') json(response, errorFor(seen, -32600, 'why not'), 400)
    })
    const wire = await http(server.url, { connectTimeout: 50 }).open()
    const refused = wire.send({ jsonrpc: '2.0', method: 'refused' })
    await expect(refused).rejects.toMatchObject({ code: 'http_status', details: { status: 400 } })
    await expect(refused).rejects.toThrow('why not')
    await expect(wire.send({ jsonrpc: '2.0', method: 'ignored' })).rejects.toMatchObject({ code: 'timeout' })
    await wire.close()
  })

  it('takes batches of 2025-03-26 apart, in a body and in an event', async () => {
    await using server = await startServer((seen, response) => {
      const batch = [progress(1), resultFor(seen)]
      if (seen.message.params?.stream !== true) return json(response, batch)
      openStream(response)
      response.end(event(batch))
    })
    const wire = await http(server.url).open()
    const messages: IncomingMessage[] = []
    wire.onMessage = (message) => messages.push(message)
    expect(await wire.request(legacy('a'))).toMatchObject({ result: { ok: true } })
    expect(await wire.request(legacy('b', { stream: true }))).toMatchObject({ result: { ok: true } })
    expect(messages).toHaveLength(2)
    await wire.close()
  })

  it('delivers what comes on a stream after the answer to the request of that stream', async () => {
    await using server = await startServer((seen, response) => {
      openStream(response)
      response.end(event(progress(1)) + event(resultFor(seen)) + event(progress(2)))
    })
    const wire = await http(server.url).open()
    const own: unknown[] = []
    const general: unknown[] = []
    wire.onMessage = (message) => general.push(message.params?.progress)
    await wire.request(call(), { onMessage: (message) => own.push(message.params?.progress) })
    await until(() => own.length === 2)
    expect([own, general]).toEqual([[1, 2], []])
    await wire.close()
  })
})
