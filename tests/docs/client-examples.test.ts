import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { GuardedWorld } from '../../packages/mcp/src/auth/guard/fixtures/guarded-world.test.node.ts'

interface Ended {
  code: number | null
  lines: string[]
  stderr: string
}

interface RunOptions {
  args?: string[]
  input?: string
  env?: Record<string, string>
  onLine?: (line: string, child: ChildProcess) => void
}

/** Runs an example to its end. */
async function run(example: string, options: RunOptions = {}): Promise<Ended> {
  const { args = [], input = '', env = {}, onLine } = options
  const child = spawn(process.execPath, [`examples/${example}`, ...args], { env: { ...process.env, ...env } })
  const lines: string[] = []
  let stderr = ''
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    onLine?.(line, child)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, lines, stderr }
}

const NOTES = ['--', 'node', 'examples/notes-server.mjs', 'stdio']

it('first-client.mjs finds out, lists and calls', async () => {
  expect(await run('first-client.mjs')).toEqual({
    code: 0,
    lines: ['echo speaks 2026-07-28', '- echo: Says it back', 'Hello!'],
    stderr: '',
  })
})

describe('elicitation-client.mjs', () => {
  it('fills in what the server asks, and asks again for what does not fit', async () => {
    const { lines, stderr } = await run('elicitation-client.mjs', { input: 'yes\nmars\neu\n' })
    expect(stderr).toBe('')
    expect(lines.at(-1)).toBe('{"public":true,"url":"https://eu.notes.example/welcome"}')
    expect(lines.join('\n').match(/region \[eu, us\]/g)).toHaveLength(2)
  })

  it('declines for a user who does', async () => {
    expect((await run('elicitation-client.mjs', { input: 'no\n' })).lines.at(-1)).toBe('{"public":false}')
    expect((await run('elicitation-client.mjs')).lines.at(-1)).toBe('{"public":false}')
  })
})

it('oauth-client.mjs signs in once, steps up for a tool that needs more, and keeps its tokens', async () => {
  const world = await new GuardedWorld().start({ format: 'jwt' })
  const folder = mkdtempSync(join(tmpdir(), 'gantry-example-'))
  let signIns = 0
  const call = (tool: string): Promise<Ended> =>
    run('oauth-client.mjs', {
      args: [world.url, tool, join(folder, 'tokens')],
      env: { NO_BROWSER: '1' },
      onLine: (line) => {
        const page = /^Sign in at (.*)$/.exec(line)?.[1]
        if (page === undefined) return
        signIns++
        void world.oidc.redirect().open(page)
      },
    })
  try {
    expect((await call('whoami')).lines.at(-1)).toBe(`${world.issuer} ann notes:read`)
    expect((await call('whoami')).lines).toEqual([`${world.issuer} ann notes:read`])
    expect(signIns).toBe(1)
    expect((await call('publish')).lines.at(-1)).toBe('published')
    expect(signIns).toBe(2)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await world.stop()
  }
})

describe('cli.mjs', () => {
  it.each<[string[], string | RegExp]>([
    [['tools'], /^publish\tMakes a note public, after asking$/m],
    [['resources'], /^notes:\/\/about\tabout$/m],
    [['call', 'list'], '{"notes":[{"id":"welcome","title":"Welcome"}]}'],
    [['read', 'notes://about'], 'A notes server.'],
    [['prompt', 'review', '{"id":"welcome"}'], /^user: Review this note in a kind tone\.$/m],
  ])('%j', async (args, expected) => {
    const { code, lines } = await run('cli.mjs', { args: [...args, ...NOTES] })
    expect(lines.join('\n')).toMatch(expected)
    expect(code).toBe(0)
  })

  it('reports progress, and says what went wrong by its exit code', async () => {
    const reindex = await run('cli.mjs', { args: ['call', 'reindex', ...NOTES] })
    expect(reindex).toEqual({ code: 0, lines: ['1 notes'], stderr: '0/1\n1/1\n' })
    const failed = await run('cli.mjs', { args: ['call', 'publish', '{"id":"none"}', ...NOTES] })
    expect(failed.code).toBe(1)
    expect(failed.lines).toEqual(['There is no note "none". Notes: welcome'])
    const missing = await run('cli.mjs', { args: ['tools', '--', 'no-such-program'] })
    expect(missing.code).toBe(1)
    expect(missing.stderr).toContain('command not found')
    expect((await run('cli.mjs', { args: ['constructor', ...NOTES] })).code).toBe(2)
  })
})

it('agent-loop.mjs lets a model call tools until it has an answer, and lends it to servers', async () => {
  const seen: { messages: { role: string; content?: string }[]; tools?: unknown[] }[] = []
  const use = (id: string, name: string, args: object): object => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  })
  const script = [
    { content: null, tool_calls: [use('1', 'list', {}), use('2', 'no_such_tool', {})] },
    { content: null, tool_calls: [use('3', 'summarise', { id: 'welcome' })] },
    { content: 'Notes live in memory.' },
    { content: 'There is one note: it says that notes live in memory.' },
  ]
  const model = createServer(async (request, response) => {
    seen.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
    const message = { role: 'assistant', ...script[seen.length - 1] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [{ message }] }))
  })
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = model.address() as AddressInfo
    const ended = await run('agent-loop.mjs', { env: { MODEL_URL: `http://127.0.0.1:${port}` } })
    expect(ended.stderr).toBe('')
    expect(ended.lines).toEqual([
      '→ list {}',
      '→ no_such_tool {}',
      '→ summarise {"id":"welcome"}',
      '(the server asks the model)',
      'There is one note: it says that notes live in memory.',
    ])
    expect(seen[0]?.tools?.length).toBeGreaterThan(5)
    expect(seen[2]?.messages[0]?.content).toBe('Summarise in one sentence: Notes live in memory only.')
    const results = seen[3]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(results).toEqual([
      '{"notes":[{"id":"welcome","title":"Welcome"}]}',
      expect.stringContaining('no_such_tool'),
      'Notes live in memory.',
    ])
  } finally {
    model.closeAllConnections()
    model.close()
  }
})
