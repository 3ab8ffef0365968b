import { request } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { readStateFile } from '../../packages/gateway/src/config/index.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway | undefined
afterEach(() => gateway?.close())

const KEY = 'k'.repeat(32)
const START = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}

/** As a proxy passes it on. */
function post(port: string, host: string, key: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      host,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    }
    request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
      .once('error', reject)
      .end(JSON.stringify(START))
  })
}

it('a gateway behind a proxy answers to the name of the proxy, with a key, and to no other name', async () => {
  gateway = await testGateway({
    server: { publicUrl: 'https://mcp.example.com/' },
    auth: { apiKeys: [{ name: 'ci', key: KEY }] },
  })
  expect(gateway.url).toBe('https://mcp.example.com')
  const state = await readStateFile(gateway.stateDir)
  // Commands on this machine do not go round by the proxy.
  const { port, hostname } = new URL(state!.url)
  expect(hostname).toBe('127.0.0.1')
  expect(await post(port, 'mcp.example.com', KEY)).toBe(200)
  expect(await post(port, 'mcp.example.com', undefined)).toBe(401)
  expect(await post(port, 'evil.example', KEY)).toBe(403)
})
