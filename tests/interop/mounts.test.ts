import { readFile } from 'node:fs/promises'
import { type Client, connect, http, sse } from '@gantry/mcp/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SnippetRunner, snippetsOf } from './support/run-snippet.ts'

const page = await readFile(new URL('../../docs/http.md', import.meta.url), 'utf8')
const mounts = snippetsOf(page, 'ts mount')
const snippets = new SnippetRunner()

beforeAll(() => snippets.start())
afterEach(() => snippets.closeServers())
afterAll(() => snippets.stop())

async function textOf(client: Client, tool: string): Promise<string> {
  return (await client.call(tool)).text()
}

it('the page has a mount for each of them', () => {
  const titles = ['node:http', 'Express', 'Express', 'Fastify', 'Hono']
  expect(mounts.map(({ title }) => title)).toEqual(titles)
})

describe.each(mounts.map(({ title, code }, index) => [index + 1, title, code] as const))(
  'mount %i, %s',
  (_index, title, code) => {
    it.each(['legacy', 'modern', 'old'] as const)('serves a %s client', async (era) => {
      const url = `${await snippets.serve(code)}/mcp`
      await using client = await connect(era === 'old' ? sse(url) : http(url), {
        ...(era !== 'old' && { era }),
        elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      })
      expect((await client.call('echo', { text: 'hi' })).text()).toBe('hi')
      expect((await client.call('ask')).text()).toBe('Ada, 36')

      // Progress arrives while the call is held.
      const seen: number[] = []
      const counting = client.call('count', { to: 3 }, { onProgress: ({ progress }) => seen.push(progress) })
      await expect.poll(() => seen).toEqual([1, 2, 3])
      await client.call('finish_counting')
      expect((await counting).text()).toBe('counted to 3')

      // Changes arrive that no call asked for.
      let changes = 0
      client.on('toolsChanged', () => {
        changes += 1
      })
      const changesOnceMore = async () => {
        await client.call('grow', { what: 'tool' })
        return changes
      }
      await expect.poll(changesOnceMore).toBeGreaterThan(0)

      // A call that is given up is given up on the other side.
      const controller = new AbortController()
      const waiting = client.call('wait', {}, { signal: controller.signal })
      const rejected = expect(waiting).rejects.toThrow()
      await client.call('echo', { text: 'it has arrived' })
      controller.abort()
      await rejected
      await expect.poll(() => textOf(client, 'cancellations')).toBe('1')
    })

    it('leaves other paths to the framework, and answers bad bodies', async () => {
      const url = `${await snippets.serve(code)}/mcp`
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
  const [worker] = snippetsOf(page, 'ts fetch')
  const [app] = snippetsOf(page, 'ts file=app.js')
  const module = await snippets.import(worker!.code, app!.code)
  const { fetch: answer } = module.default as { fetch(request: Request): Promise<Response> }
  const fetchLike = (url: string, init: RequestInit) => answer(new Request(url, init))
  for (const era of ['legacy', 'modern'] as const) {
    await using client = await connect('http://localhost/mcp', { era, http: { fetch: fetchLike } })
    expect(await textOf(client as Client, 'hello')).toBe('Hello!')
  }
})
