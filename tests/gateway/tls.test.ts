import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Certificates } from '../support/certificates.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let made: Certificates
const closing: (() => unknown)[] = []
const at = (name: string): string => made.at(name)

beforeAll(() => {
  made = new Certificates()
  made.authority('ours')
  made.authority('others')
  for (const name of ['server', 'renewed'])
    made.certificate(name, 'ours', '/CN=gateway', 'IP:127.0.0.1,DNS:localhost')
  made.certificate('robot', 'ours', '/CN=robot', 'URI:spiffe://example.com/robot')
  made.certificate('plain', 'ours', '/CN=plain')
  made.certificate('fake', 'others', '/CN=robot', 'URI:spiffe://example.com/robot')
}, 60_000)
afterAll(() => made.remove())
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(config: object = {}): Promise<{ gateway: TestGateway; log: () => string }> {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  for (const end of ['crt', 'key']) copyFileSync(at(`server.${end}`), at(`live.${end}`))
  const target = await scriptedTarget({
    'tools/list': () => ({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'what was read' }] }),
  })
  closing.push(() => target.close())
  const server = { tls: { cert: at('live.crt'), key: at('live.key') } }
  const all = { mcpServers: { notes: { url: target.url } }, server, ...config }
  const gateway = await testGateway(all, { logLevel: 'info' })
  closing.push(() => gateway.close())
  return { gateway, log: () => lines.join('') }
}

interface Asked {
  client?: string
  agent?: Agent
  headers?: Record<string, string>
}

/** Lists tools over HTTPS, with the certificate of a client if it has one. */
function list(
  { url }: TestGateway,
  { client, agent, headers = {} }: Asked = {},
): Promise<{ status: number; tools: string[] }> {
  const identity = client && {
    cert: readFileSync(at(`${client}.crt`)),
    key: readFileSync(at(`${client}.key`)),
  }
  const options = {
    method: 'POST',
    ca: readFileSync(at('ours.crt')),
    agent: agent ?? false,
    ...(identity || {}),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
      ...headers,
    },
  }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/mcp`, options, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () => {
        const found = [...text.matchAll(/"name":"(notes_\w+)"/g)].map(([, name]) => name!)
        resolve({ status: response.statusCode!, tools: found })
      })
    })
    sent.once('error', reject).end(JSON.stringify(body))
  })
}

/** A `fetch` with the certificate of a client. */
function fetchAs(name: string): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const options = {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        agent: false,
        ca: readFileSync(at('ours.crt')),
        cert: readFileSync(at(`${name}.crt`)),
        key: readFileSync(at(`${name}.key`)),
        ...(init.signal && { signal: init.signal }),
      } as const
      const sent = request(String(input), options, (message) => {
        const headers = new Headers()
        for (const [field, value] of Object.entries(message.headers)) headers.set(field, String(value))
        const status = message.statusCode!
        const body = status === 204 ? null : (Readable.toWeb(message) as ReadableStream)
        resolve(new Response(body, { status, headers }))
      })
      sent.once('error', reject).end(init.body)
    })
}

const info = { name: 'official', version: '1' }
type Call = () => Promise<unknown>

/** What calls a tool with an official client that has the certificate of this name. */
const OFFICIAL: [string, (url: URL, name: string) => Call][] = [
  [
    '1.32',
    (url, name) => {
      const client = new Client1(info)
      closing.push(() => client.close())
      return async () => {
        await client.connect(new Http1(url, { fetch: fetchAs(name) }) as Transport)
        return client.callTool({ name: 'notes_read' })
      }
    },
  ],
  ...(['legacy', { pin: '2026-07-28' }] as const).map((mode): [string, (url: URL, name: string) => Call] => [
    mode === 'legacy' ? '2.4 legacy' : '2.4 modern',
    (url, name) => {
      const client = new Client2(info, { versionNegotiation: { mode } })
      closing.push(() => client.close())
      return async () => {
        await client.connect(new Http2(url, { fetch: fetchAs(name) }))
        return client.callTool({ name: 'notes_read' })
      }
    },
  ]),
]

/** The fingerprint of the certificate that a new connection is shown. */
function shown({ bound }: TestGateway): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      { port: bound.port, host: '127.0.0.1', ca: readFileSync(at('ours.crt')) },
      () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.destroy()
      },
    )
    socket.once('error', reject)
  })
}

describe('a port with TLS', () => {
  it('serves HTTPS, says so, and takes a new certificate while connections stay', async () => {
    const { gateway, log } = await start()
    expect(gateway.url).toMatch(/^https:/)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    closing.push(() => agent.destroy())
    expect(await list(gateway, { agent })).toEqual({ status: 200, tools: ['notes_read'] })
    const before = await shown(gateway)
    // Only one of the two is there at first.
    copyFileSync(at('renewed.crt'), at('live.crt'))
    await expect.poll(log, { timeout: 20_000 }).toContain('the one before stays')
    expect(await shown(gateway)).toBe(before)
    copyFileSync(at('renewed.key'), at('live.key'))
    await expect.poll(() => shown(gateway), { timeout: 20_000 }).not.toBe(before)
    expect((await list(gateway, { agent })).status).toBe(200)
    writeFileSync(at('live.crt'), 'cut off')
    await expect.poll(() => log().split('the one before stays').length, { timeout: 20_000 }).toBe(3)
    expect(await shown(gateway)).not.toBe(before)
    expect((await list(gateway)).status).toBe(200)
  }, 60_000)

  it('does not answer plain HTTP', async () => {
    const { gateway } = await start()
    await expect(fetch(gateway.url.replace('https', 'http'))).rejects.toThrow()
  })

  it('does not start without its files', async () => {
    await expect(
      testGateway({ mcpServers: {}, server: { tls: { cert: at('none.crt'), key: at('none.key') } } }),
    ).rejects.toThrow('none.crt')
  })
})

describe('a client certificate', () => {
  const mtls = { auth: { mtls: { ca: '' }, apiKeys: [{ name: 'ops', key: 'k'.repeat(30) }] } }
  const withCa = (more: object = {}) => ({
    ...mtls,
    auth: { ...mtls.auth, mtls: { ca: at('ours.crt') } },
    ...more,
  })

  it('says who is calling: a workload that rules can name', async () => {
    const robot = { kind: 'workload', issuer: 'mtls', subject: 'spiffe://example.com/robot' }
    const policy = { default: 'deny', rules: [{ who: { principals: [robot] }, allow: ['notes/*'] }] }
    const { gateway } = await start(withCa({ policy }))
    expect(await list(gateway, { client: 'robot' })).toEqual({ status: 200, tools: ['notes_read'] })
    expect(await list(gateway, { client: 'plain' })).toEqual({ status: 200, tools: [] })
  })

  it.each(OFFICIAL)('lets the official client %s call as that workload, and nobody else', async (_, open) => {
    const robot = { kind: 'workload', issuer: 'mtls', subject: 'spiffe://example.com/robot' }
    const policy = { default: 'deny', rules: [{ who: { principals: [robot] }, allow: ['notes/*'] }] }
    const { gateway } = await start(withCa({ policy }))
    const url = new URL(`${gateway.url}/mcp`)
    expect(await open(url, 'robot')()).toMatchObject({ content: [{ text: 'what was read' }] })
    await expect(open(url, 'plain')()).rejects.toThrow('Unknown tool: notes_read')
    await expect(open(url, 'fake')()).rejects.toThrow()
  })

  it('of another authority opens nothing, nor does none; a key does', async () => {
    const { gateway } = await start(withCa())
    expect((await list(gateway, { client: 'fake' })).status).toBe(401)
    expect((await list(gateway)).status).toBe(401)
    expect((await list(gateway, { headers: { authorization: `Bearer ${'k'.repeat(30)}` } })).status).toBe(200)
  })

  it('does not help a wrong key, and opens no console', async () => {
    const { gateway } = await start(withCa())
    const headers = { authorization: 'Bearer wrong' }
    expect((await list(gateway, { client: 'robot', headers })).status).toBe(401)
  })

  it('needs a port with TLS', async () => {
    await expect(testGateway({ mcpServers: {}, ...withCa({ server: {} }) })).rejects.toThrow('server.tls')
  })
})
