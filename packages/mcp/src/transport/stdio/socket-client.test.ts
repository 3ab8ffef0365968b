import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { socket, type SocketAddress } from './socket-client.node.ts'

let dir: string
let server: Server
let connections: Socket[]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gantry-'))
  connections = []
  server = createServer((connection) => {
    connections.push(connection)
    connection.on('error', () => {})
    createInterface({ input: connection }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (method === 'echo') connection.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { id } })}\r\n`)
      if (method === 'end') connection.end(`${JSON.stringify({ jsonrpc: '2.0', id, result: { id } })}`)
      if (method === 'push') connection.write('noise\n{"jsonrpc":"2.0","method":"notifications/message"}\n')
    })
  })
})

afterEach(async () => {
  for (const connection of connections) connection.destroy()
  await new Promise((resolve) => server.close(resolve))
  rmSync(dir, { recursive: true, force: true })
})

function listen(kind: 'unix' | 'tcp'): Promise<SocketAddress> {
  return new Promise((resolve) => {
    const path = join(dir, 'server.sock')
    if (kind === 'unix') server.listen(path, () => resolve({ path }))
    else
      server.listen(0, '127.0.0.1', () =>
        resolve({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }),
      )
  })
}

describe.each(['unix', 'tcp'] as const)('socket over %s', (kind) => {
  it('asks, answers, hears and closes', async () => {
    const errors: unknown[] = []
    const connector = socket({ ...(await listen(kind)), onProtocolError: (error) => errors.push(error) })
    expect(connector.kind).toBe('socket')
    expect(connector.key).toMatch(kind === 'unix' ? /^unix:.*server\.sock$/ : /^tcp:\/\/127\.0\.0\.1:\d+$/)
    const wire = await connector.open()
    const closed = vi.fn()
    wire.onClose = closed
    const ids = [1, '1', 2]
    const answers = ids.map((id) => wire.request({ jsonrpc: '2.0', id, method: 'echo' }))
    expect(await Promise.all(answers)).toMatchObject(ids.map((id) => ({ result: { id } })))
    const heard = new Promise((resolve) => {
      wire.onMessage = resolve
    })
    await wire.send({ jsonrpc: '2.0', method: 'push' })
    expect(await heard).toMatchObject({ method: 'notifications/message' })
    expect(errors).toMatchObject([{ code: 'parse_failed' }])
    const pending = expect(wire.request({ jsonrpc: '2.0', id: 9, method: 'silent' })).rejects.toMatchObject({
      code: 'closed',
    })
    await Promise.all([wire.close(), wire.close(), pending])
    expect(closed.mock.calls).toEqual([[undefined]])
    await expect(wire.request({ jsonrpc: '2.0', id: 10, method: 'echo' })).rejects.toMatchObject({
      code: 'closed',
    })
  })

  it('says why when the server goes away, after its last words', async () => {
    const wire = await socket(await listen(kind)).open()
    const reason = new Promise((resolve) => {
      wire.onClose = resolve
    })
    const pending = expect(wire.request({ jsonrpc: '2.0', id: 1, method: 'silent' })).rejects.toMatchObject({
      code: 'closed',
    })
    expect(await wire.request({ jsonrpc: '2.0', id: 2, method: 'end' })).toMatchObject({ result: { id: 2 } })
    expect(await reason).toMatchObject({ code: 'closed' })
    await pending
    await expect(wire.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code: 'closed' })
    await wire.close()
  })
})

describe('socket', () => {
  it('says when nobody listens', async () => {
    const error = socket({ path: join(dir, 'absent.sock') }).open()
    await expect(error).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('absent.sock'),
    })
  })

  it('can be cancelled', async () => {
    const address = await listen('unix')
    await expect(socket(address).open({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    })
    const controller = new AbortController()
    const opening = socket(address).open({ signal: controller.signal })
    controller.abort()
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' })
  })
})
