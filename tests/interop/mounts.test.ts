import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Client, connect } from '@gantry/mcp/client'
import { http, sse } from '@gantry/mcp/client'
import { transform } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = await readFile(join(root, 'docs/http.md'), 'utf8')
const FIXTURE = pathToFileURL(join(root, 'tests/interop/fixtures/everything-app.mjs')).href

/** The snippets of the page, under the heading that they stand below. */
const mounts = page.split(/^## /m).flatMap((section) => {
  const title = section.slice(0, section.indexOf('\n'))
  return [...section.matchAll(/^```ts mount\n([\s\S]*?)^```$/gm)].map(([, code]) => [title, code!] as const)
})

let folder: string
let servers: HttpServer[] = []
const listen = vi.spyOn(HttpServer.prototype, 'listen')

beforeAll(async () => {
  // Inside the project, so that snippets find the packages as a user's program would.
  folder = await mkdtemp(join(root, 'tests/interop/.run-'))
})
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  servers = []
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs a snippet as it is, except for the port and the server that it serves. Returns its URL. */
async function run(snippet: string, name: string): Promise<string> {
  listen.mockClear()
  const { code } = await transform(snippet.replace('3000', '0'), {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
  })
  const app = join(folder, `${name}-app.mjs`)
  await writeFile(app, `import { createApp } from '${FIXTURE}'\nexport const app = createApp()\n`)
  const file = join(folder, `${name}.mjs`)
  await writeFile(file, code.replace('./app.js', `./${name}-app.mjs`))
  await import(/* @vite-ignore */ pathToFileURL(file).href)
  servers = [...new Set(listen.mock.contexts as HttpServer[])]
  await vi.waitFor(() => expect(servers[0]?.listening).toBe(true))
  return `http://127.0.0.1:${(servers[0]!.address() as AddressInfo).port}/mcp`
}

async function textOf(client: Client, tool: string): Promise<string> {
  return (await client.call(tool)).text()
}

it('the page has a mount for each of them', () => {
  const titles = ['node:http', 'Express', 'Express', 'Fastify', 'Hono']
  expect(mounts.map(([title]) => title)).toEqual(titles)
})

describe.each(mounts.map(([title, code], index) => [index + 1, title, code] as const))(
  'mount %i, %s',
  (index, title, code) => {
    it.each(['legacy', 'modern', 'old'] as const)('serves a %s client', async (era) => {
      const url = await run(code, `mount-${index}-${era}`)
      await using client = await connect(era === 'old' ? sse(url) : http(url), {
        ...(era !== 'old' && { era }),
        elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      })
      expect((await client.call('echo', { text: 'hi' })).text()).toBe('hi')
      expect((await client.call('ask')).text()).toBe('Ada, 36')

      // Progress arrives while the call is held.
      const seen: number[] = []
      const counting = client.call('count', { to: 3 }, { onProgress: ({ progress }) => seen.push(progress) })
      await vi.waitFor(() => expect(seen).toEqual([1, 2, 3]))
      await client.call('finish_counting')
      expect((await counting).text()).toBe('counted to 3')

      // Changes arrive that no call asked for.
      let changes = 0
      client.on('toolsChanged', () => {
        changes += 1
      })
      await vi.waitFor(async () => {
        await client.call('grow', { what: 'tool' })
        expect(changes).toBeGreaterThan(0)
      })

      // A call that is given up is given up on the other side.
      const controller = new AbortController()
      const waiting = client.call('wait', {}, { signal: controller.signal })
      const rejected = expect(waiting).rejects.toThrow()
      await client.call('echo', { text: 'it has arrived' })
      controller.abort()
      await rejected
      await vi.waitFor(async () => expect(await textOf(client, 'cancellations')).toBe('1'))
    })

    it('leaves other paths to the framework, and answers bad bodies', async () => {
      const url = await run(code, `mount-${index}-errors`)
      const post = (body: string, path = '') =>
        fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      if (title !== 'node:http') expect((await post('{}', '/../other')).status).toBe(404)
      expect((await post('{')).status).toBe(400)
      expect((await post('{"jsonrpc":"2.0","id":1}')).status).toBe(400)
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
      expect((await post(JSON.stringify(ping))).status).toBe(400)
    })
  },
)

it('the handler for Workers, Deno and Bun answers requests', async () => {
  const snippet = /^```ts fetch\n([\s\S]*?)^```$/m.exec(page)![1]!
  const app = /^```ts file=app.js\n([\s\S]*?)^```$/m.exec(page)![1]!
  await writeFile(join(folder, 'app.mjs'), app)
  const file = join(folder, 'worker.mjs')
  await writeFile(file, snippet.replace('./app.js', './app.mjs'))
  const worker = (await import(/* @vite-ignore */ pathToFileURL(file).href)).default as {
    fetch(request: Request): Promise<Response>
  }
  const fetchLike = (url: string, init: RequestInit) => worker.fetch(new Request(url, init))
  for (const era of ['legacy', 'modern'] as const) {
    await using client = await connect('http://localhost/mcp', { era, http: { fetch: fetchLike } })
    expect(await textOf(client as Client, 'hello')).toBe('Hello!')
  }
})
