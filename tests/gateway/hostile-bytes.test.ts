import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import {
  HOSTILE_TARGETS,
  rawRequest,
} from '../../packages/mcp/src/testing/fixtures/raw-requests.test.node.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(): Promise<TestGateway> {
  const app = new Server({ name: 'one', tools: { echo: tool({ run: () => 'here' }) } })
  const gateway = await testGateway(
    { mcpServers: { one: { module: 'one' } } },
    { embedded: new Map([['one', app]]) },
  )
  closing.push(() => gateway.close())
  return gateway
}

async function expectAlive(gateway: TestGateway): Promise<void> {
  await using client = await connect(gateway.endpoint)
  expect((await client.call('one_echo')).text()).toBe('here')
}

describe('bytes of strangers at the front', () => {
  it('any request target is answered or refused', async () => {
    const gateway = await start()
    const port = Number(new URL(gateway.url).port)
    for (const target of HOSTILE_TARGETS) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'CONNECT', 'DELETE']) {
        const headers = method === 'POST' ? 'content-length: 0\r\ncontent-type: application/json\r\n' : ''
        expect(await rawRequest(port, target, method, headers), `${method} ${target.slice(0, 40)}`).toMatch(
          /^HTTP\/1.1 [2345]\d\d|^$/,
        )
      }
    }
    await expectAlive(gateway)
  })

  it('a second Host or Authorization is refused on every path, whatever the first says', async () => {
    const gateway = await start()
    const port = Number(new URL(gateway.url).port)
    const body = 'content-length: 0\r\ncontent-type: application/json\r\n'
    for (const path of [
      '/mcp',
      '/mcp/one',
      '/sse',
      '/health',
      '/ready',
      '/metrics',
      '/console/',
      '/api/v1/overview',
      '/nothing',
    ]) {
      for (const method of ['GET', 'POST']) {
        const more = method === 'POST' ? body : ''
        const two = (header: string) => rawRequest(port, path, method, `${header}\r\n${more}`)
        expect(await two('HOST: evil.example'), path).toMatch(/^HTTP\/1.1 400/)
        for (const name of ['Authorization', 'X-API-Key', 'Mcp-Session-Id', 'Last-Event-ID']) {
          expect(await two(`${name}: a\r\n${name.toLowerCase()}: b`), path).toMatch(/^HTTP\/1.1 400/)
        }
      }
    }
    await expectAlive(gateway)
  })

  it.each(['gzip', 'GZIP', 'br', 'identity, gzip', 'nonsense'])(
    'a body with the encoding %s is refused as such',
    async (encoding) => {
      const gateway = await start()
      for (const path of ['/mcp', '/mcp/one']) {
        const response = await fetch(gateway.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-encoding': encoding },
          body: gzipSync('{"jsonrpc":"2.0","id":1,"method":"ping"}'),
        })
        expect(response.status).toBe(415)
        expect(await response.text()).toContain('Content-Encoding')
      }
    },
  )

  it('JSON without a bottom is refused, leaves nothing running and does not hold up the end', async () => {
    const gateway = await start()
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const _meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
    for (const [method, params] of [
      ['tools/call', `{"name":"one_echo","arguments":{"a":${deep}},${_meta}}`],
      ['tools/list', `{"x":${deep},${_meta}}`],
      ['initialize', `{"protocolVersion":"2025-11-25","capabilities":{"x":${deep}},"clientInfo":{}}`],
    ]) {
      for (const path of ['/mcp', '/mcp/one']) {
        const body = `{"jsonrpc":"2.0","id":3,"method":"${method}","params":${params}}`
        const response = await fetch(gateway.url + path, { method: 'POST', headers, body })
        expect([response.status, await response.json()]).toEqual([
          400,
          { jsonrpc: '2.0', id: 3, error: { code: -32600, message: expect.stringContaining('512 levels') } },
        ])
      }
    }
    for (const path of ['/api/calls', '/api/trials', '/api/config/check', '/api/config']) {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const response = await fetch(gateway.url + path, { method, headers, body: `{"a":${deep}}` })
        expect(response.status, `${method} ${path}`).toBeGreaterThanOrEqual(400)
        expect(response.status, `${method} ${path}`).toBeLessThan(500)
      }
    }
    await expectAlive(gateway)
    const began = performance.now()
    await Promise.all(closing.splice(0).map((close) => close()))
    expect(performance.now() - began).toBeLessThan(30_000)
  })
})
