import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { IncomingMessage } from '../../../exchange/index.ts'
import { http } from './http-client.ts'
import {
  errorFor,
  event,
  json,
  modern,
  openStream,
  progress,
  resultFor,
  startServer,
  until,
} from './harness.test.node.ts'
import type { FetchLike } from './quick-fetch.ts'

describe('http, modern requests', () => {
  it('mirrors the body into the version, method and name headers', async () => {
    await using server = await startServer((seen, response) => json(response, resultFor(seen)))
    const wire = await http(server.url).open()
    await wire.request(modern('tools/call', { name: 'get_weather', arguments: {} }), {
      headers: { 'Mcp-Param-Region': 'us-west1' },
    })
    await wire.request(modern('resources/read', { uri: 'file:///path/to/file%20name.txt' }))
    await wire.request(modern('prompts/get', { name: 'Grüße' }))
    await wire.request(modern('tasks/get', { taskId: 't-1' }))
    await wire.request(modern('tools/list', { name: 'not mirrored' }))
    const headers = server.seen.map((seen) => [seen.headers['mcp-method'], seen.headers['mcp-name']])
    expect(headers).toEqual([
      ['tools/call', 'get_weather'],
      ['resources/read', 'file:///path/to/file%20name.txt'],
      ['prompts/get', '=?base64?R3LDvMOfZQ==?='],
      ['tasks/get', 't-1'],
      ['tools/list', undefined],
    ])
    const first = server.seen[0]!.headers
    expect(first['mcp-param-region']).toBe('us-west1')
    expect(first['mcp-protocol-version']).toBe('2026-07-28')
    expect(first['content-type']).toBe('application/json')
    expect(first.accept).toBe('application/json, text/event-stream')
    expect(first['mcp-session-id']).toBeUndefined()
    await wire.close()
  })

  it('hands out the HTTP+SSE connector of the same URL as fallback', () => {
    const connector = http('http://localhost:1/mcp')
    expect(connector).toMatchObject({ kind: 'http', key: 'http://localhost:1/mcp' })
    expect(connector.fallback).toMatchObject({ kind: 'sse', key: 'http://localhost:1/mcp' })
  })

  it('delivers the messages of a stream live, then the answer', async () => {
    let finish = (): void => {}
    await using server = await startServer((seen, response) => {
      openStream(response)
      response.write(`: comment\n\n${event(progress(1))}`)
      finish = () => response.end(event(progress(2)) + event(resultFor(seen)))
    })
    const wire = await http(server.url).open()
    const messages: IncomingMessage[] = []
    const answer = wire.request(modern('tools/call', { name: 'x' }), { onMessage: (m) => messages.push(m) })
    await until(() => messages.length === 1)
    finish()
    expect(await answer).toMatchObject({ result: { ok: true } })
    expect(messages.map((message) => message.params?.progress)).toEqual([1, 2])
    await wire.close()
  })

  it.each([
    [400, -32022],
    [404, -32601],
    [500, -32603],
  ])('resolves with the JSON-RPC error of HTTP %i', async (status, code) => {
    await using server = await startServer((seen, response) =>
      json(response, errorFor(seen, code, 'no'), status),
    )
    const wire = await http(server.url).open()
    const answer = await wire.request(modern('server/discover'))
    expect(answer).toMatchObject({ error: { code } })
    await wire.close()
  })

  it('resolves with an error that has no id or that of another request', async () => {
    const errors = [
      { jsonrpc: '2.0', error: { code: -32600, message: 'Origin' } },
      { jsonrpc: '2.0', id: 'server-error', error: { code: -32600, message: 'Origin' } },
    ]
    await using server = await startServer((_, response) => json(response, errors.shift(), 403))
    const wire = await http(server.url).open()
    for (const id of [null, 'server-error']) {
      const answer = await wire.request(modern('server/discover'))
      expect(answer).toMatchObject({ id, error: { code: -32600 } })
    }
    await wire.close()
  })

  it.each([
    [404, 'text/html', '<h1>Not Found</h1>', 'http_status'],
    [405, 'text/plain', '', 'http_status'],
    [400, 'application/json', '{"error":"no"}', 'http_status'],
    [502, 'text/html', '<h1>Bad Gateway</h1>', 'http_status'],
    [
      401,
      'application/json',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x"}}',
      'unauthorized',
    ],
  ])('rejects HTTP %i %s %s with %s', async (status, type, body, code) => {
    await using server = await startServer((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    const wire = await http(`${server.url}?key=secret`).open()
    const failed = wire.request(modern('server/discover'))
    await expect(failed).rejects.toMatchObject({ code, details: { status, body, url: `${server.url}?…` } })
    await expect(failed).rejects.toThrow(`HTTP ${status}`)
    await expect(failed).rejects.toThrow(server.url)
    await expect(failed).rejects.not.toThrow('secret')
    await wire.close()
  })

  it('leaves no listener of its own on the signal that fetch keeps, answered or failed', async () => {
    const signals: AbortSignal[] = []
    const fetch: FetchLike = async (_, { signal }) => {
      signals.push(signal as AbortSignal)
      if (signals.length > 1) throw new TypeError('terminated')
      return Response.json({ jsonrpc: '2.0', id: 1, result: {} })
    }
    const wire = await http('http://test.example/mcp', { fetch }).open()
    await wire.request({ ...modern('tools/list'), id: 1 })
    await expect(wire.request(modern('tools/list'))).rejects.toMatchObject({ code: 'network' })
    await until(() => signals.every((signal) => getEventListeners(signal, 'abort').length === 0))
    expect(signals).toHaveLength(2)
    await wire.close()
  })

  it('cancels by closing the stream, and leaves no listener on the signal', async () => {
    let closed = false
    await using server = await startServer((_, response) => {
      openStream(response)
      response.on('close', () => {
        closed = true
      })
    })
    const wire = await http(server.url).open()
    const abort = new AbortController()
    let listeners = 0
    const { signal } = abort
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    const failed = wire.request(modern('tools/call', { name: 'x' }), { signal })
    await until(() => server.seen.length === 1)
    abort.abort(new Error('enough'))
    await expect(failed).rejects.toMatchObject({ code: 'cancelled', cause: { message: 'enough' } })
    await until(() => closed)
    await until(() => listeners === 0)
    await expect(wire.request(modern('tools/list'), { signal })).rejects.toMatchObject({ code: 'cancelled' })
    expect(server.seen).toHaveLength(1)
    await wire.close()
  })

  it('answers that go with an aborted signal: nothing is sent', async () => {
    const wire = await http('http://127.0.0.1:1/').open()
    const failed = wire.request(modern('tools/list'), { signal: AbortSignal.abort() })
    await expect(failed).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('sends the headers that a function makes, afresh for every request, and keeps its own', async () => {
    await using server = await startServer((seen, response) => json(response, resultFor(seen)))
    let count = 0
    const headers = async (): Promise<Record<string, string>> => ({
      'X-Count': `${++count}`,
      ACCEPT: 'text/plain',
    })
    const wire = await http(server.url, { headers }).open()
    await wire.request(modern('tools/list'))
    await wire.request(modern('tools/list'))
    expect(server.seen.map((seen) => seen.headers['x-count'])).toEqual(['1', '2'])
    expect(server.seen[0]?.headers.accept).toBe('application/json, text/event-stream')
    await wire.close()
  })

  it('refuses headers that HTTP cannot carry without showing them', async () => {
    const wire = await http('http://127.0.0.1:1/', { headers: { authorization: 'Bearer se\ncret' } }).open()
    const failed = wire.request(modern('tools/list'))
    await expect(failed).rejects.toMatchObject({ code: 'invalid_config' })
    await expect(failed).rejects.not.toThrow('cret')
  })

  it.each([
    ['not a url', 'is not a URL'],
    ['ftp://example.com/', 'not an http:// or https:// URL'],
    ['localhost:3000/mcp', 'localhost:3000/mcp is not an http:// or https:// URL'],
    ['db://me:secret@host/mcp', 'db://host/mcp is not an http:// or https:// URL'],
    ['https://user:secret@example.com/', 'Authorization header'],
  ])('refuses to open %s', async (url, text) => {
    for (const connector of [http(url), http(url).fallback!]) {
      const failed = connector.open()
      await expect(failed).rejects.toMatchObject({ code: 'invalid_config' })
      await expect(failed).rejects.toThrow(text)
      await expect(failed).rejects.not.toThrow('secret')
    }
  })

  it('says what failed when the server is not there', async () => {
    const server = await startServer(() => {})
    await server[Symbol.asyncDispose]()
    const wire = await http(server.url).open()
    const failed = wire.request(modern('tools/list'))
    await expect(failed).rejects.toMatchObject({ code: 'network', details: { url: server.url } })
    await expect(failed).rejects.toThrow('ECONNREFUSED')
  })

  it('close rejects what is pending, aborts its streams, and refuses what comes later', async () => {
    let open = 0
    await using server = await startServer((_, response) => {
      openStream(response)
      open++
      response.on('close', () => open--)
    })
    const wire = await http(server.url).open()
    const reasons: unknown[] = []
    wire.onClose = (reason) => reasons.push(reason)
    const pending = [wire.request(modern('tools/list')), wire.request(modern('subscriptions/listen'))]
    const settled = Promise.allSettled(pending)
    await until(() => open === 2)
    await Promise.all([wire.close(), wire.close()])
    for (const one of await settled) expect(one).toMatchObject({ reason: { code: 'closed' } })
    await until(() => open === 0)
    expect(reasons).toEqual([undefined])
    await expect(wire.request(modern('tools/list'))).rejects.toMatchObject({ code: 'closed' })
    await expect(wire.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code: 'closed' })
    expect(server.seen.map((seen) => seen.method)).toEqual(['POST', 'POST'])
  })
})
