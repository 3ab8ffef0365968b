import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Certificates } from '../support/certificates.ts'
import { serveFrom } from '../support/source-process.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'older', version: '1' } },
}
let made: Certificates
let replicas: Replicas

beforeAll(async () => {
  made = new Certificates()
  made.authority('ours')
  made.certificate('hop', 'ours', '/CN=hop', 'DNS:gantry-hop')
  made.certificate('server', 'ours', '/CN=gateway', 'IP:127.0.0.1')
  for (const name of ['robot', 'other']) made.certificate(name, 'ours', `/CN=${name}`)
  const files = (name: string) => ({ cert: made.at(`${name}.crt`), key: made.at(`${name}.key`) })
  const ca = made.at('ours.crt')
  replicas = await startReplicas(2, {
    mcpServers: {},
    auth: { mtls: { ca } },
    server: { tls: files('server'), cluster: { tls: { ...files('hop'), ca, name: 'gantry-hop' } } },
  })
})
afterAll(async () => {
  await replicas?.close()
  made?.remove()
})

interface Answer {
  readonly status: number
  readonly session: string
}

/** Asks a gateway with the certificate of this name, or with none. */
function ask(
  at: number | string,
  who: string | undefined,
  body: object,
  headers: object = {},
): Promise<Answer> {
  const endpoint = typeof at === 'string' ? at : replicas.all[at]!.endpoint
  const read = (file: string): Buffer => readFileSync(made.at(file))
  const options = {
    method: 'POST',
    agent: false,
    ca: read('ours.crt'),
    ...(who !== undefined && { cert: read(`${who}.crt`), key: read(`${who}.key`) }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  }
  return new Promise((resolve, reject) => {
    const sent = request(endpoint, options, (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode!, session: String(answer.headers['mcp-session-id']) })
    })
    sent.once('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }))
  })
}

const PING = { method: 'ping' }
const of = (session: string) => ({ 'mcp-session-id': session })

it('a client certificate counts at every gateway, and the session is that of its caller alone', async () => {
  const { session } = await ask(0, 'robot', INITIALIZE)
  for (const at of [0, 1, 1]) expect((await ask(at, 'robot', PING, of(session))).status).toBe(200)
  for (const at of [0, 1]) {
    expect((await ask(at, 'other', PING, of(session))).status).toBe(404)
    expect((await ask(at, undefined, PING, of(session))).status).toBe(401)
  }
})

it('the certificate of a gateway lets nobody in', async () => {
  const { session } = await ask(0, 'robot', INITIALIZE)
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'stranger', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const modern = { method: 'tools/list', params: { _meta: meta } }
  const headers = { ...of(session), 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
  for (const at of [0, 1]) {
    expect((await ask(at, 'robot', modern, headers)).status).toBe(200)
    expect((await ask(at, undefined, modern, headers)).status).toBe(401)
    expect((await ask(at, undefined, INITIALIZE, of(session))).status).toBe(401)
  }
})

it('a client certificate counts at every worker: another one learns whom it names, and from nobody else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-certified-'))
  const file = join(folder, 'gantry.json')
  const tls = { cert: made.at('server.crt'), key: made.at('server.key') }
  const config = {
    mcpServers: {},
    auth: { mtls: { ca: made.at('ours.crt') } },
    server: { workers: 2, tls },
    stateDir: join(folder, 'state'),
  }
  await writeFile(file, JSON.stringify(config))
  const { endpoint, kill } = await serveFrom(file)
  try {
    const { session } = await ask(endpoint, 'robot', INITIALIZE)
    const forged = Buffer.from(JSON.stringify({ subject: 'robot', expiresAt: 9e15 })).toString('base64url')
    // Each request has a connection of its own, so half of them reach the other worker.
    for (let round = 0; round < 4; round++) {
      expect((await ask(endpoint, 'robot', PING, of(session))).status).toBe(200)
      expect((await ask(endpoint, 'other', PING, of(session))).status).toBe(404)
      const headers = { ...of(session), 'x-gantry-certified': forged }
      expect((await ask(endpoint, undefined, PING, headers)).status).toBe(401)
      expect((await ask(endpoint, 'other', PING, headers)).status).toBe(404)
    }
  } finally {
    await kill()
    await rm(folder, { recursive: true, force: true })
  }
})
