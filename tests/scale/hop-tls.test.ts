import { copyFileSync, readFileSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { connect, http } from '@gantry/mcp/client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { configFromValue } from '../../packages/gateway/src/config/index.ts'
import { Certificates } from '../support/certificates.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const SERVER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
/** In the certificates of all gateways: none has an address in it. */
const NAME = 'gantry-hop'
let made: Certificates
let replicas: Replicas

beforeAll(async () => {
  made = new Certificates()
  for (const name of ['ours', 'others']) made.authority(name)
  for (const name of ['first', 'renewed']) made.certificate(name, 'ours', `/CN=${name}`, `DNS:${NAME}`)
  made.certificate('fake', 'others', '/CN=first', `DNS:${NAME}`)
  take('first')
  const tls = { cert: made.at('live.crt'), key: made.at('live.key'), ca: made.at('ours.crt'), name: NAME }
  replicas = await startReplicas(2, {
    mcpServers: {
      counter: { command: process.execPath, args: [SERVER], env: { REVISIONS: '2025-11-25' } },
    },
    server: { cluster: { tls } },
  })
})
afterAll(async () => {
  await replicas?.close()
  made?.remove()
})

function take(name: string): void {
  for (const end of ['key', 'crt']) copyFileSync(made.at(`${name}.${end}`), made.at(`live.${end}`))
}

async function call(at: number, name: string): Promise<string> {
  await using client = await connect(http(replicas.all[at]!.endpoint), {
    elicit: () => ({ action: 'accept', content: { name: `from ${at}` } }),
  })
  return (await client.call(`counter_${name}`)).text()
}

/** Shakes hands with the port between gateways, and asks. The first line of the answer. */
function ask(port: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, servername: NAME, ...options })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed')))
    socket.once('data', (data) => {
      socket.destroy()
      resolve(String(data).split('\r\n')[0]!)
    })
    socket.write('POST /hop/counter HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
  })
}

const identity = (name: string): ConnectionOptions => ({
  ca: readFileSync(made.at('ours.crt')),
  cert: readFileSync(made.at(`${name}.crt`)),
  key: readFileSync(made.at(`${name}.key`)),
})

it('carries calls, questions and sessions of older clients', async () => {
  expect(await call(0, 'who')).toBe(await call(1, 'who'))
  for (const at of [0, 1]) expect(await call(at, 'greet')).toBe(`Hello, from ${at}!`)
  const opened = await post(0, {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'older', version: '1' } },
  })
  const session = opened.headers.get('mcp-session-id')!
  for (const at of [1, 0, 1]) {
    const answer = await post(at, { jsonrpc: '2.0', id: 2, method: 'ping' }, session)
    expect(answer.status).toBe(200)
    await answer.body?.cancel()
  }
})

function post(at: number, body: object, session?: string): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session && { 'mcp-session-id': session }),
  }
  return fetch(replicas.all[at]!.endpoint, { method: 'POST', headers, body: JSON.stringify(body) })
}

it('refuses those who show no certificate of the authority, and plain HTTP', async () => {
  const [port] = replicas.ports as [number]
  // Our own certificate opens the connection; the passport is still missing.
  expect(await ask(port, identity('first'))).toMatch(/ 401 /)
  await expect(ask(port, { ca: identity('first').ca! })).rejects.toThrow()
  await expect(ask(port, identity('fake'))).rejects.toThrow()
  const plain = connectSocket(port, '127.0.0.1')
  plain.write('GET /hop/counter HTTP/1.1\r\nHost: x\r\n\r\n')
  const heard: string[] = []
  plain.on('data', (data) => heard.push(String(data)))
  await new Promise((resolve) => plain.once('close', resolve).on('error', () => {}))
  expect(heard.join('')).not.toContain('HTTP/1.1')
})

it('takes renewed certificates while it serves', async () => {
  take('renewed')
  const shown = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const [port] = replicas.ports as [number]
      const options = { host: '127.0.0.1', port, servername: NAME, ...identity('first') }
      const socket = connectTls(options, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      })
      socket.once('error', reject)
    })
  await vi.waitFor(async () => expect(await shown()).toBe('renewed'), { timeout: 20_000, interval: 200 })
  expect(await call(0, 'who')).toBe(await call(1, 'who'))
})

it('refuses an address whose scheme says something else', async () => {
  const files = { cert: '/a', key: '/b', ca: '/c' }
  const problems = async (cluster: object) => {
    const result = await configFromValue({ mcpServers: {}, server: { cluster } })
    return result.ok ? [] : result.problems.map(({ message }) => message)
  }
  expect(await problems({ address: 'http://10.0.0.1:7333', tls: files })).toEqual([
    'The address of a gateway with "tls" begins with https://',
  ])
  expect(await problems({ address: 'https://10.0.0.1:7333' })).toEqual([
    'The address of a gateway without "tls" begins with http://',
  ])
  expect(await problems({ address: 'https://10.0.0.1:7333', tls: files })).toEqual([])
})
