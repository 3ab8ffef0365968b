import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SnippetRunner, snippetsOf } from './support/run-snippet.ts'

const page = await readFile(new URL('../../docs/guard.md', import.meta.url), 'utf8')
const all = [...snippetsOf(page, 'ts alone'), ...snippetsOf(page, 'ts file=app.js')]
const serving = all.filter(({ code }) => code.includes('3000'))
const others = all.filter(({ code }) => !code.includes('3000'))
const snippets = new SnippetRunner()

beforeAll(() => snippets.start())
afterAll(() => snippets.stop())

const METADATA = '/.well-known/oauth-protected-resource/mcp'

/** A request by the name that the page gives the server; `fetch` would not let us say it. */
function ask(url: string, method: string): Promise<{ status: number; challenge: string; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { host: 'mcp.example.com' } }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({
        status: response.statusCode ?? 0,
        challenge: response.headers['www-authenticate'] ?? '',
        body,
      })
    })
    sent.on('error', reject).end()
  })
}

describe('the page on guarding a server', () => {
  it.each(serving.map(({ code }, index) => [index + 1, code] as const))(
    'snippet %i lets nobody in and says where to get a token',
    async (_index, code) => {
      const origin = await snippets.serve(code)
      const metadata = await ask(`${origin}${METADATA}`, 'GET')
      expect(JSON.parse(metadata.body)).toMatchObject({
        resource: 'https://mcp.example.com/mcp',
        authorization_servers: ['https://auth.example.com'],
      })
      const stranger = await ask(`${origin}/mcp`, 'POST')
      expect(stranger.status).toBe(401)
      expect(stranger.challenge).toContain(`resource_metadata="https://mcp.example.com${METADATA}"`)
    },
  )

  it.each(others.map(({ title, code }) => [title, code] as const))(
    '%s: the snippet runs',
    async (_title, code) => {
      expect(await snippets.import(code)).not.toEqual({})
    },
  )
})
