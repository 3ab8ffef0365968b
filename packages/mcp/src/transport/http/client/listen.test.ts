import { describe, expect, it } from 'vitest'
import type { McpError } from '../../../jsonrpc/index.ts'
import {
  call,
  connect,
  event,
  initialize,
  json,
  openStream,
  resultFor,
  sessions,
  startServer,
  until,
} from './harness.test.node.ts'

describe('http, the GET stream of a legacy session', () => {
  it.each([404, 405, 406])('HTTP %i is benign', async (status) => {
    const errors: McpError[] = []
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.method === 'POST') json(response, resultFor(seen))
        else response.writeHead(status).end()
      }),
    )
    const wire = await connect(server.url, { onProtocolError: (error) => errors.push(error) })
    wire.startListening?.()
    await until(() => server.seen.some((seen) => seen.method === 'GET'))
    expect(await wire.request(call())).toMatchObject({ result: { ok: true } })
    expect(errors).toEqual([])
    await wire.close()
    expect(server.seen.filter((seen) => seen.method === 'GET')).toHaveLength(1)
  })

  it('delivers messages, reconnects with Last-Event-ID, and ends with close', async () => {
    let open = 0
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.method === 'DELETE') return response.writeHead(200).end()
        const place = Number(seen.headers['last-event-id'] ?? 0)
        openStream(response)
        open++
        response.on('close', () => open--)
        response.write(event({ jsonrpc: '2.0', id: place, method: 'ping' }, `${place + 1}`))
        if (place < 2) setTimeout(() => response.destroy(), 20)
      }),
    )
    const wire = await connect(server.url)
    const ids: unknown[] = []
    wire.onMessage = (message) => ids.push('id' in message ? message.id : undefined)
    wire.startListening?.()
    wire.startListening?.()
    await until(() => ids.length === 3)
    expect(ids).toEqual([0, 1, 2])
    await wire.close()
    await until(() => open === 0)
  })

  it('gives up on a server that ends the stream every time, and tries again after the next answer', async () => {
    const errors: McpError[] = []
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.method === 'POST') return json(response, resultFor(seen))
        openStream(response)
        response.end()
      }),
    )
    const wire = await connect(server.url, { onProtocolError: (error) => errors.push(error) })
    const gets = (): number => server.seen.filter((seen) => seen.method === 'GET').length
    wire.startListening?.()
    await until(() => errors.length === 1)
    expect(gets()).toBe(4)
    await wire.request(call())
    await until(() => gets() > 4)
    await wire.close()
  })

  it('begins a new stream when the server has forgotten the event id', async () => {
    const errors: McpError[] = []
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.method !== 'GET') return response.writeHead(200).end()
        if (seen.headers['last-event-id'] !== undefined) return response.writeHead(400).end('unknown event')
        openStream(response)
        response.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, '1'))
        if (server.seen.length < 4) response.end()
      }),
    )
    const wire = await connect(server.url, { onProtocolError: (error) => errors.push(error) })
    let count = 0
    wire.onMessage = () => count++
    wire.startListening?.()
    await until(() => count === 2)
    expect(errors).toMatchObject([{ code: 'bad_response' }])
    await wire.close()
  })

  it('retries after 500 and after a conflict with the old stream', async () => {
    const statuses = [500, 409]
    await using server = await startServer(
      sessions((seen, response) => {
        const status = seen.method === 'GET' ? statuses.shift() : 200
        if (status !== undefined) return response.writeHead(status).end()
        openStream(response)
        response.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }))
      }),
    )
    const wire = await connect(server.url)
    let count = 0
    wire.onMessage = () => count++
    wire.startListening?.()
    await until(() => count === 1)
    await wire.close()
  })

  it('initialize ends the stream of the session before', async () => {
    let open = 0
    await using server = await startServer(
      sessions((seen, response) => {
        if (seen.method !== 'GET') return response.writeHead(200).end()
        openStream(response)
        open++
        response.on('close', () => open--)
      }),
    )
    const wire = await connect(server.url)
    wire.startListening?.()
    await until(() => open === 1)
    await wire.request(initialize())
    await until(() => open === 0)
    wire.startListening?.()
    await until(() => open === 1)
    expect(server.seen.at(-1)?.headers['mcp-session-id']).toBe('session-2')
    await wire.close()
  })
})
