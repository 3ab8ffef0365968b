import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Server, text, tool, ToolResult } from '@gantry/mcp/server'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const TOKEN = 'the-token-of-the-api-0123456789'
const api = createServer((_request, response) => {
  response.writeHead(503, { 'content-type': 'application/json', 'set-cookie': 'sid=c00kie-value' })
  response.end('{"error":"down"}')
})
const failing = new Server({
  name: 'failing',
  version: '1.0.0',
  tools: {
    fail: tool({
      description: 'Fails',
      run: () => new ToolResult({ content: [text('It went wrong')], isError: true }),
    }),
  },
})
let dir: string
let gateway: TestGateway

beforeAll(async () => {
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  dir = await mkdtemp(join(tmpdir(), 'gantry-flight-'))
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': {
        get: {
          operationId: 'listThings',
          parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
          responses: { 200: { description: 'ok' } },
        },
      },
    },
  }
  await writeFile(join(dir, 'api.json'), JSON.stringify(document))
  const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  gateway = await testGateway(
    {
      mcpServers: {
        api: {
          openapi: { document: join(dir, 'api.json'), baseUrl },
          headers: { 'X-Api-Key': TOKEN },
        },
        failing: { module: 'failing' },
      },
    },
    { embedded: new Map([['failing', failing]]) },
  )
})
afterAll(async () => {
  await gateway.close()
  api.close()
  await rm(dir, { recursive: true, force: true })
})

const details = async (filter: (record: { target?: string }) => boolean) => {
  const { records } = await gateway.api.call('wire', {})
  const { id } = records.find((record) => filter(record as { target?: string }))!
  return gateway.api.call('wireDetail', { params: { id } })
}

describe('the flight recorder, while nobody watches', () => {
  it('has both hops of a call that failed', async () => {
    await modernRequest(gateway.endpoint, 'tools/call', { name: 'failing_fail', arguments: { a: 1 } })
    const { hops } = await details(({ target }) => target === 'failing')
    expect(hops.map(({ hop, direction }) => `${hop} ${direction}`)).toEqual([
      'client in',
      'target out',
      'target in',
      'client out',
    ])
  })

  it('has the HTTP hop of an API: method, URL, status, time, and headers without credentials', async () => {
    const { message } = await modernRequest(gateway.endpoint, 'tools/call', {
      name: 'api_listThings',
      arguments: { q: 'x y' },
    })
    expect(message.result.isError).toBe(true)
    const detail = await details(({ target }) => target === 'api')
    const shown = JSON.stringify(detail)
    expect(shown).toContain('/things?q=x')
    expect(shown).toMatch(/"status\\*":503/)
    expect(shown).toMatch(/milliseconds/)
    expect(shown).toMatch(/x-api-key/)
    expect(shown).not.toContain(TOKEN)
    expect(shown).not.toContain('c00kie-value')
  })
})
