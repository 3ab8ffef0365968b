import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { platformFetch } from './platform-fetch.ts'

it('asks by node:http, unless the global fetch was replaced', async () => {
  const agents: IncomingMessage['headers']['user-agent'][] = []
  const server = createServer((request, response) => {
    agents.push(request.headers['user-agent'])
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const original = globalThis.fetch
  try {
    expect(await (await platformFetch(url, { method: 'POST', body: '{}' })).text()).toBe('{}')
    globalThis.fetch = async (input, init) => original(input, { ...init, headers: { 'user-agent': 'mine' } })
    expect(await (await platformFetch(url, { method: 'POST', body: '{}' })).text()).toBe('{}')
  } finally {
    globalThis.fetch = original
    server.close()
    server.closeAllConnections()
  }
  // Node's own fetch names itself; node:http does not.
  expect(agents).toEqual([undefined, 'mine'])
})
