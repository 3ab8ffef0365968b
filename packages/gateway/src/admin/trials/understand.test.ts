import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { understand, type Understanding } from './understand.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-understand-'))
  await writeFile(join(folder, 'api.yaml'), 'openapi: 3.1.0')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const read = (text: string, name?: string): Promise<Understanding> =>
  understand(text, {
    name,
    folder,
    stateDir: folder,
    places: { platform: 'linux', home: '/home/me', env: {}, cwd: folder },
  })

async function one(text: string): Promise<{ name: string; entry: unknown }> {
  const { candidates, refused } = await read(text)
  expect(refused).toEqual([])
  expect(candidates).toHaveLength(1)
  const { name, entry } = candidates[0]!
  return { name, entry }
}

describe('understand', () => {
  it.each([
    ['https://mcp.linear.app/sse', 'linear', { url: 'https://mcp.linear.app/sse' }],
    ['http://localhost:3000/mcp', 'local-3000', { url: 'http://localhost:3000/mcp' }],
    [
      'https://petstore.example/openapi.json',
      'petstore',
      { openapi: { document: 'https://petstore.example/openapi.json' } },
    ],
    [
      'npx -y @modelcontextprotocol/server-filesystem .',
      'filesystem',
      { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
    ],
    [
      'uvx mcp-server-git --repository .',
      'git',
      { command: 'uvx', args: ['mcp-server-git', '--repository', '.'] },
    ],
    [
      'docker run -i --rm ghcr.io/github/github-mcp-server:latest',
      'github',
      { command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/github/github-mcp-server:latest'] },
    ],
    ['API_KEY=x ./my-server', 'my', { command: './my-server', env: { API_KEY: 'x' } }],
    [
      'claude mcp add files -e A=1 -- npx -y server-files /x',
      'files',
      { command: 'npx', args: ['-y', 'server-files', '/x'], env: { A: '1' } },
    ],
    [
      'claude mcp add --transport http sentry https://mcp.sentry.dev/mcp --header "X: y"',
      'sentry',
      { url: 'https://mcp.sentry.dev/mcp', headers: { X: 'y' } },
    ],
    [
      `claude mcp add-json w '{"type":"http","url":"https://x.example/mcp"}'`,
      'w',
      { type: 'http', url: 'https://x.example/mcp' },
    ],
    [
      `code --add-mcp '{"name":"play","command":"npx","args":["play"]}'`,
      'play',
      { command: 'npx', args: ['play'] },
    ],
    ['{"mcpServers":{"a":{"command":"x"}}}', 'a', { command: 'x' }],
    ['```json\n{"mcpServers":{"a":{"command":"x"}}}\n```', 'a', { command: 'x' }],
    ['{"servers":{"a":{"type":"http","url":"http://x/"}}}', 'a', { url: 'http://x/', transport: 'http' }],
    ['"a": { "command": "x", "args": ["${env:Y}"] },', 'a', { command: 'x', args: ['${env:Y}'] }],
    [
      '{"command":"npx","args":["-y","server-memory"]}',
      'memory',
      { command: 'npx', args: ['-y', 'server-memory'] },
    ],
    ['mcpServers:\n  a:\n    command: x\n', 'a', { command: 'x' }],
    ['{"a":{"module":"./x.js","prefix":"p"}}', 'a', { module: './x.js', prefix: 'p' }],
  ])('%j', async (text, name, entry) => {
    expect(await one(text)).toEqual({ name, entry })
  })

  it('takes the file of a description, relative to the configuration', async () => {
    expect(await one('./api.yaml')).toEqual({
      name: 'api',
      entry: { openapi: { document: join(folder, 'api.yaml') } },
    })
  })

  it('keeps a description that was pasted whole', async () => {
    const text = '{"openapi":"3.1.0","info":{"title":"My API"},"paths":{}}'
    const { name, entry } = await one(text)
    expect(name).toBe('my-api')
    const { document } = (entry as { openapi: { document: string } }).openapi
    expect(await readFile(document, 'utf8')).toBe(text)
  })

  it('keeps what the gateway knows besides what clients do', async () => {
    const { entry } = await one('{"a":{"command":"x","tools":{"include":["y"]},"isolation":"user"}}')
    expect(entry).toEqual({ command: 'x', tools: { include: ['y'] }, isolation: 'user' })
  })

  it('says what it did to variables of editors', async () => {
    const { candidates } = await read('{"a":{"command":"x","env":{"K":"${input:key}"}}}')
    expect(candidates[0]!.notes.join()).toMatch(/input/)
  })

  it.each(['', '{"foo": 1}', 'a | b'])('refuses %j', async (text) => {
    const { candidates, refused } = await read(text)
    expect(candidates).toEqual([])
    expect(refused[0]!.reason).not.toBe('')
  })
})
