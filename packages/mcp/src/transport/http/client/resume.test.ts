import { describe, expect, it } from 'vitest'
import type { IncomingMessage } from '../../../exchange/index.ts'
import {
  type Answer,
  call,
  connect,
  event,
  open,
  openStream,
  progress,
  resultFor,
  sessions,
  startServer,
  until,
} from './harness.test.node.ts'

describe('http, resumption of a legacy answer', () => {
  it('resumes by GET with Last-Event-ID after the retry time, never sooner', async () => {
    let closedAt = 0
    let waiting: Parameters<Answer>[0] | undefined
    await using server = await startServer(
      sessions((seen, response) => {
        openStream(response)
        if (seen.method === 'POST') {
          waiting = seen
          response.write('id: e-1\nretry: 500\ndata: \n\n')
          setTimeout(() => {
            closedAt = performance.now()
            response.end()
          }, 50)
        } else {
          // Stays open after the answer, as the official conformance server does.
          response.write(event(progress(1), 'e-2') + event(resultFor(waiting!), 'e-3'))
        }
      }),
    )
    const wire = await connect(server.url)
    const messages: IncomingMessage[] = []
    const answer = await wire.request(call(), { onMessage: (message) => messages.push(message) })
    expect(answer).toMatchObject({ result: { ok: true } })
    expect(messages).toHaveLength(1)
    const get = server.seen.find((seen) => seen.method === 'GET')!
    expect(get.headers['last-event-id']).toBe('e-1')
    expect(get.headers['mcp-session-id']).toBe('session-1')
    expect(get.headers['mcp-protocol-version']).toBe('2025-11-25')
    expect(get.headers.accept).toBe('text/event-stream')
    expect(get.at - closedAt).toBeGreaterThanOrEqual(495)
    await wire.close()
  })

  it('polls on while the server closes the connection again and again', async () => {
    let waiting: Parameters<Answer>[0] | undefined
    await using server = await startServer(
      sessions((seen, response) => {
        openStream(response)
        if (seen.method === 'POST') waiting = seen
        const place = Number(seen.headers['last-event-id'] ?? 0)
        const more = place < 9 ? event(progress(place), `${place + 1}`) : event(resultFor(waiting!))
        response.end(`retry: 1\n${more}`)
      }),
    )
    const wire = await connect(server.url)
    const got: unknown[] = []
    await wire.request(call(), { onMessage: (message) => got.push(message.params?.progress) })
    expect(got).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    await wire.close()
  })

  it('resumes when the connection breaks in the middle of an event', async () => {
    let waiting: Parameters<Answer>[0] | undefined
    await using server = await startServer(
      sessions((seen, response) => {
        openStream(response)
        if (seen.method === 'GET') return response.end(event(resultFor(waiting!)))
        waiting = seen
        response.write('id: 世界\nretry: 1\ndata:\n\nid: lost\ndata: {"jso')
        setTimeout(() => response.destroy(), 20)
      }),
    )
    const wire = await connect(server.url)
    expect(await wire.request(call())).toMatchObject({ result: { ok: true } })
    const id = server.seen.find((seen) => seen.method === 'GET')!.headers['last-event-id']
    expect(Buffer.from(String(id), 'latin1').toString()).toBe('世界')
    await wire.close()
  })

  it('asks for the rest of a stream in the session that it belongs to, lost or not', async () => {
    let lost = false
    await using server = await startServer(
      sessions((_, response) => {
        if (lost) return response.writeHead(404).end()
        lost = true
        openStream(response)
        response.end('id: 1\nretry: 50\ndata:\n\n')
      }),
    )
    const wire = await connect(server.url)
    const broken = wire.request(call())
    await until(() => lost)
    await expect(wire.request(call())).rejects.toMatchObject({ code: 'session_lost' })
    await expect(broken).rejects.toMatchObject({ code: 'closed', cause: { details: { status: 404 } } })
    const gets = server.seen.filter((seen) => seen.method === 'GET')
    expect(gets.map((seen) => seen.headers['mcp-session-id'])).toEqual(['session-1'])
    expect(gets[0]!.headers['mcp-protocol-version']).toBe('2025-11-25')
    await wire.close()
  })

  it('fails at once when the stream had no event ids', async () => {
    await using server = await startServer((_, response) => {
      openStream(response)
      response.end(event(progress(1)))
    })
    const wire = await open(server.url)
    const failed = wire.request(call())
    await expect(failed).rejects.toMatchObject({ code: 'closed', details: { url: server.url } })
    await expect(failed).rejects.toThrow('ended without the answer to tools/call')
    expect(server.seen.filter((seen) => seen.method === 'GET')).toEqual([])
  })

  it.each([404, 405, 400, 501])('fails when the server refuses to resume with %i', async (status) => {
    await using server = await startServer((seen, response) => {
      if (seen.method === 'GET') return response.writeHead(status).end()
      openStream(response)
      response.end('id: 1\nretry: 1\ndata:\n\n')
    })
    const wire = await open(server.url)
    const failed = wire.request(call())
    await expect(failed).rejects.toMatchObject({ code: 'closed', cause: { details: { status } } })
    await expect(failed).rejects.toThrow('could not be resumed')
    expect(server.seen).toHaveLength(2)
  })

  it('gives up after its attempts when every connection ends at once', async () => {
    await using server = await startServer((seen, response) => {
      openStream(response)
      response.end(seen.method === 'POST' ? 'id: 1\nretry: 1\ndata:\n\n' : '')
    })
    const wire = await open(server.url)
    await expect(wire.request(call())).rejects.toMatchObject({ code: 'closed' })
    expect(server.seen.filter((seen) => seen.method === 'GET')).toHaveLength(4)
  })

  it('says so when the resumed answer is malformed', async () => {
    let id: number | undefined
    await using server = await startServer((seen, response) => {
      openStream(response)
      id ??= seen.message.id
      response.end(
        seen.method === 'POST' ? 'id: 1\nretry: 1\ndata:\n\n' : event({ jsonrpc: '2.0', id, result: 'text' }),
      )
    })
    const wire = await open(server.url)
    await expect(wire.request(call())).rejects.toMatchObject({ code: 'bad_response' })
  })

  it('stops waiting to resume when the request is cancelled, and when the wire is closed', async () => {
    await using server = await startServer((_, response) => {
      openStream(response)
      response.end('id: 1\nretry: 99999999999\ndata:\n\n')
    })
    const wire = await open(server.url)
    const abort = new AbortController()
    const cancelled = wire.request(call(), { signal: abort.signal })
    const closed = wire.request(call())
    const settled = Promise.allSettled([cancelled, closed])
    await until(() => server.seen.length === 2)
    abort.abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
    await wire.close()
    await expect(closed).rejects.toMatchObject({ code: 'closed' })
    await settled
  })
})
