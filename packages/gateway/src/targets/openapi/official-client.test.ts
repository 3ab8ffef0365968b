import { brotliDecompressSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { type Handle, ServerConnection } from '@gantry/mcp/exchange'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EchoApi, startEchoApi } from './echo-api.test.support.ts'
import type { JsonObject } from '@gantry/mcp/server'
import { createOpenApiTarget } from './open-api-target.ts'

// The official client compiles every output schema that it lists and checks every result: a strict judge.

const PETSTORE = fileURLToPath(new URL('fixtures/petstore.yaml', import.meta.url))

/** The client's transport interface over a server edge in this process. */
class MemoryTransport {
  onmessage: ((message: never) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #connection: ServerConnection

  constructor(handle: Handle) {
    const served = { info: { name: 'test', version: '1' }, respond: handle }
    const send = (text: string) => queueMicrotask(() => this.onmessage?.(JSON.parse(text) as never))
    this.#connection = new ServerConnection(served, { send })
  }
  async start(): Promise<void> {}
  async send(message: unknown): Promise<void> {
    this.#connection.receive(structuredClone(message))
  }
  async close(): Promise<void> {
    this.#connection.close()
    this.onclose?.()
  }
}

let api: EchoApi
beforeAll(async () => {
  api = await startEchoApi()
  api.answer = (request, response) => {
    response.setHeader('content-type', 'application/json')
    const pet = { id: 7, name: 'Rex', nickname: null, category: { name: 'a', parent: { name: 'b' } } }
    response.end(JSON.stringify(request.url === '/pets' && request.method === 'GET' ? [pet] : pet))
    return true
  }
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
})

const INFO = { name: 'client', version: '1' }

describe('the official client', () => {
  it('1.x: lists, calls, and gets a list as { result }', async () => {
    const target = await createOpenApiTarget({ document: PETSTORE, baseUrl: api.url })
    const client = new Client(INFO)
    await client.connect(new MemoryTransport(target.handle) as never)
    expect((await client.listTools()).tools).toHaveLength(target.tools.length)
    const added = await client.callTool({ name: 'addPet', arguments: { name: 'Rex' } })
    expect(added.structuredContent).toMatchObject({ id: 7 })
    const listed = await client.callTool({ name: 'listPets', arguments: {} })
    expect(listed.structuredContent).toMatchObject({ result: [{ id: 7 }] })
    await client.close()
  })

  it('1.x takes the first 200 tools of GitHub', async () => {
    const packed = readFileSync(new URL('fixtures/github.json.br', import.meta.url))
    const document = JSON.parse(brotliDecompressSync(packed).toString()) as JsonObject
    document.paths = Object.fromEntries(Object.entries(document.paths as JsonObject).slice(0, 160))
    const target = await createOpenApiTarget({ document })
    expect(target.tools.length).toBeGreaterThan(200)
    const client = new Client(INFO)
    await client.connect(new MemoryTransport(target.handle) as never)
    expect((await client.listTools()).tools).toHaveLength(target.tools.length)
    await client.close()
  })
})
