import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { Server } from '@gantry/mcp/server'
import { toNodeHandler } from '@gantry/mcp/server/node'
import { describe, expect, it } from 'vitest'
import { currentPlaces } from '../../config/index.ts'
import { run } from '../captured-io.test.support.ts'
import { compile } from '../types/compile.test.support.ts'

const find = createRequire(import.meta.url)
const serverOf = (name: string): string =>
  join(dirname(find.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist', 'index.js')

async function typesOf(...command: string[]): Promise<string> {
  const { code, out, err } = await run(currentPlaces(), ['types', '--', process.execPath, ...command])
  expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^\d+ tools, \d+ prompts/) })
  return out
}

describe('gantry types', () => {
  it('writes types of real servers that compile, and that type a client', async () => {
    const [everything, files, memory] = await Promise.all([
      typesOf(serverOf('everything')),
      typesOf(serverOf('filesystem'), '.'),
      typesOf(serverOf('memory')),
    ])
    const user = `
      import { connect } from '@gantry/mcp/client'
      import type { App } from './everything.ts'
      import type { App as Memory } from './memory.ts'

      export async function use(): Promise<number> {
        const client = await connect<App>('http://127.0.0.1/mcp')
        await client.tools['get-sum']({ a: 1, b: 2 })
        // @ts-expect-error: the tool wants numbers
        await client.tools['get-sum']({ a: 'one' })
        // @ts-expect-error: there is no such tool
        await client.tools.nothing()
        const memory = await connect<Memory>('http://127.0.0.1/mcp')
        const { entities } = await memory.tools.read_graph()
        return entities.length
      }`
    const texts = { 'everything.ts': everything, 'files.ts': files, 'memory.ts': memory, 'user.ts': user }
    expect(compile(texts)).toEqual([])
  })

  it('writes them for a server at a URL, with the headers that it wants', async () => {
    const app = new Server({ name: 'notes', tools: { list: { run: () => 'Buy milk' } } })
    const auth = { principal: { kind: 'key', subject: 'ci' }, scopes: [], claims: {} } as const
    const handler = toNodeHandler(app, {
      guard: ({ headers }) =>
        headers['x-api-key'] === 's' ? { ok: true, auth } : { ok: false, status: 401 },
    })
    const http = createServer(handler).listen(0, '127.0.0.1')
    try {
      await once(http, 'listening')
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
      const { code, out } = await run(currentPlaces(), ['types', url, '--header', 'X-API-Key: s'])
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^ {4}list: \{/m) })
      expect(await run(currentPlaces(), ['types', url])).toMatchObject({ code: 1, out: '' })
    } finally {
      handler.close()
      http.closeAllConnections()
      http.close()
    }
  })

  it('says what is wrong', async () => {
    const places = currentPlaces()
    expect(await run(places, ['types'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Which server?'),
    })
    const missing = await run(places, ['types', 'no-such-program-here'])
    expect(missing).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('gantry doctor -- no-such-program-here'),
    })
    const header = await run(places, ['types', 'http://127.0.0.1:1/mcp', '--header', 'nonsense'])
    expect(header).toMatchObject({ code: 2, err: expect.stringContaining('Authorization: Bearer') })
  })
})
