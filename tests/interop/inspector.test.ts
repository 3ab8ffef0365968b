import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type NodeHandler, toNodeHandler } from '@gantry/mcp/server/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openInspector, type OpenInspector } from '../support/open-inspector.ts'
import { createApp } from './fixtures/everything-app.mjs'

const SERVER = fileURLToPath(new URL('./fixtures/everything-server.mjs', import.meta.url))

let inspector: OpenInspector
let handler: NodeHandler
let http: HttpServer
let url: string

beforeAll(async () => {
  inspector = await openInspector()
  handler = toNodeHandler(createApp())
  http = createServer(handler)
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}, 300_000)
afterAll(async () => {
  handler?.close()
  http?.closeAllConnections()
  await new Promise((done) => http?.close(done))
  await inspector?.close()
})

const targets: [string, string[], () => string[]][] = [
  ['legacy over stdio', ['--protocol-era', 'legacy'], () => [process.execPath, SERVER]],
  ['modern over stdio', ['--protocol-era', 'modern'], () => [process.execPath, SERVER]],
  ['legacy over HTTP', ['--protocol-era', 'legacy', '--transport', 'http'], () => [url]],
  ['modern over HTTP', ['--protocol-era', 'modern', '--transport', 'http'], () => [url]],
  ['finding out over HTTP', ['--protocol-era', 'auto', '--transport', 'http'], () => [url]],
  ['legacy over SSE', ['--protocol-era', 'legacy', '--transport', 'sse'], () => [url]],
]

const inspect: OpenInspector['inspect'] = (...args) => inspector.inspect(...args)

describe.each(targets)('the Inspector 2.12, %s', (_name, options, target) => {
  it('lists, and finds nothing wrong with our schemas', async () => {
    const { tools } = await inspect(...target(), ...options, '--method', 'tools/list', '--strict')
    expect(tools).toHaveLength(18)
    expect((tools as { name: string }[])[0]).toMatchObject({ name: 'echo', title: 'Echo' })
  })

  it('calls', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', 'b=3']
    expect(await inspect(...target(), ...options, ...call)).toMatchObject({ structuredContent: { sum: 5 } })
  })
})

describe.each(['legacy', 'modern'])('the Inspector 2.12, %s', (era) => {
  it('reads a resource and gets a prompt', async () => {
    const target = [url, '--transport', 'http', '--protocol-era', era]
    const read = ['--method', 'resources/read', '--uri', 'test://city/France/Paris']
    expect(await inspect(...target, ...read)).toMatchObject({ contents: [{ text: 'Paris is in France' }] })
    const get = ['--method', 'prompts/get', '--prompt-name', 'greeting', '--prompt-args', 'language=dutch']
    expect(await inspect(...target, ...get)).toMatchObject({
      messages: [{ content: { text: 'Greet the world in dutch.' } }],
    })
  })
})
