import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../load-config.ts'
import { createHousehold, type Household } from './household.test.support.ts'
import type { ImportOptions, ImportPlan } from './import-plan.ts'
import { planImport } from './plan-import.ts'

let house: Household | undefined
afterEach(async () => {
  await house?.remove()
  house = undefined
})

async function plan(options: ImportOptions = {}): Promise<ImportPlan> {
  const result = await planImport(house!.places, options)
  if (!result.ok) throw new Error(result.reason)
  return result.plan
}

const outcomes = ({ items }: ImportPlan) =>
  Object.fromEntries(
    items.map((item) => [`${item.client} ${item.name}`, [item.outcome, item.as, item.reason]]),
  )

describe.each(['linux', 'darwin', 'win32'] as const)('importing on %s', (platform) => {
  it('finds the servers of every client and explains each', async () => {
    house = await createHousehold(platform)
    const planned = await plan()
    expect(planned.sources.map((source) => source.file)).toEqual(Object.values(house.files))
    expect(outcomes(planned)).toEqual({
      'claude-desktop filesystem': ['added', 'filesystem', undefined],
      'claude-desktop github': ['added', 'github', undefined],
      'claude-code github': [
        'added',
        'github-claude-code',
        '"github" is another server: "command", "args", "env", "url", "transport", "headers" are not the same',
      ],
      'claude-code sentry': ['added', 'sentry', undefined],
      'claude-code local': ['added', 'local', undefined],
      'claude-code db': ['added', 'db', undefined],
      'cursor filesystem': [
        'added',
        'filesystem-cursor',
        '"filesystem" is another server: "args" is not the same',
      ],
      'cursor notes': ['added', 'notes', undefined],
      'cursor off': ['added', 'off', undefined],
      'cursor tool': ['added', 'tool', undefined],
      'vscode remote': ['added', 'remote', undefined],
      'vscode everything': ['added', 'everything', undefined],
      'vscode old': ['added', 'old', undefined],
      'vscode ws': ['added', 'ws', undefined],
      'windsurf everything': ['same', 'everything', 'it is there already'],
      'windsurf wind': ['added', 'wind', undefined],
      'windsurf github.com/some/server': [
        'added',
        'github.com-some-server',
        'a name has at most 64 characters and no "/"',
      ],
      'windsurf broken': ['skipped', undefined, 'it names neither a command nor a URL'],
      'mcp-json plain': ['added', 'plain', undefined],
    })
  })

  it('writes a configuration that loads, with each client’s variables as references', async () => {
    house = await createHousehold(platform)
    const { home, cwd } = house.places
    const planned = await plan()
    const change = planned.changes[0]!
    expect(planned.changes).toHaveLength(1)
    expect(change).toMatchObject({ role: 'config', file: planned.to, before: undefined })
    expect(planned.to.endsWith(join('gantry', 'gantry.jsonc'))).toBe(true)
    const loaded = await parseConfig(change.after, {
      file: planned.to,
      places: { ...house.places, env: { ...house.places.env, GH_TOKEN: 'a', NOTES_KEY: 'b', API_KEY: 'c' } },
    })
    expect(loaded.ok && loaded.model.targets).toHaveLength(17)
    const { mcpServers } = JSON.parse(change.after.replace(/^\/\/.*/, ''))
    expect(mcpServers).toMatchObject({
      filesystem: { args: ['-y', '@modelcontextprotocol/server-filesystem', '/data/$${literal}'] },
      'github-claude-code': { transport: 'http', headers: { Authorization: 'Bearer ${env:GH_TOKEN}' } },
      sentry: { transport: 'sse', oauth: { clientId: 'abc', scopes: ['read', 'write'] } },
      local: { command: './run.sh', cwd },
      db: { command: '${env:TOOL:-uvx}', args: ['db', '${env:DB_URL:-sqlite://}'], cwd },
      notes: { args: [`${home}/notes.js`], env: { KEY: '${env:NOTES_KEY}' } },
      off: { enabled: false },
      tool: { args: [`${cwd}/tool.js`], cwd, envFile: join(cwd, '.env') },
      remote: { headers: { 'X-Key': '${env:API_KEY}' } },
      wind: { url: 'https://wind.example.com/mcp', tools: { exclude: ['gust'] } },
    })
    const remote = planned.items.find((item) => item.name === 'remote')
    expect(remote?.notes[0]).toContain('set the environment variable API_KEY instead')
    expect(planned.items.find((item) => item.name === 'everything')?.notes).toEqual([
      '"dev" has no meaning here and is left out',
    ])
  })
})

describe('importing', () => {
  it('adds to a configuration that is there and keeps its comments', async () => {
    house = await createHousehold('linux')
    const to = join(house.places.cwd, 'gantry.yaml')
    await house.write(
      to,
      '# ours\nmcpServers:\n  # theirs\n  notes: { command: other }\nserver: { port: 9000 }\n',
    )
    const planned = await plan({ clients: ['cursor'] })
    expect(planned.to).toBe(to)
    expect(outcomes(planned)['cursor notes']).toEqual([
      'added',
      'notes-cursor',
      '"notes" is another server: "command", "args", "env" are not the same',
    ])
    expect(planned.changes[0]?.after).toContain(
      '# theirs\n  notes: { command: other }\n  filesystem:\n    command: npx\n',
    )
  })

  it('renames a server whose URIs would begin like those of another', async () => {
    house = await createHousehold('linux')
    const servers = { my_files: { command: 'x' }, 'My Files': { command: 'y' } }
    const from = join(house.places.home, 'mcp.json')
    await house.write(from, JSON.stringify({ mcpServers: servers }))
    const { items, changes } = await plan({ from })
    expect(items.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['added', undefined],
      ['added', '"my_files" is another server: "command" is not the same'],
    ])
    const { file, after } = changes[0]!
    expect(await parseConfig(after!, { file, places: house.places })).toMatchObject({ ok: true })
  })

  it('leaves with its client what only the client can fill in', async () => {
    house = await createHousehold('linux')
    const servers = {
      here: { command: '${workspaceFolder}/bin/server' },
      asked: { command: 'x', env: { FILE: '${command:pickFile}' } },
      fine: { command: 'y', args: ['${userHome}/z'] },
    }
    await house.write(house.files.cursor!, JSON.stringify({ mcpServers: servers }))
    const planned = await plan({ clients: ['cursor'], point: true })
    expect(outcomes(planned)).toMatchObject({
      'cursor here': [
        'skipped',
        undefined,
        'only its client knows what ${workspaceFolder} is, so it stays there',
      ],
      'cursor asked': [
        'skipped',
        undefined,
        'only its client knows what ${command:pickFile} is, so it stays there',
      ],
      'cursor fine': ['added', 'fine', undefined],
    })
    const pointed = planned.changes.find(({ file }) => file === house!.files.cursor)!
    expect(Object.keys(JSON.parse(pointed.after).mcpServers)).toEqual(['here', 'asked', 'gantry'])
  })

  it('has nothing to do the second time', async () => {
    house = await createHousehold('linux')
    const first = await plan()
    await house.write(first.to, first.changes[0]!.after)
    const second = await plan()
    expect(second.changes).toEqual([])
    expect(second.items.every((item) => item.outcome !== 'added')).toBe(true)
  })

  it('reads any file by its name', async () => {
    house = await createHousehold('linux')
    const file = join(house.places.cwd, 'other.yaml')
    await house.write(file, 'mcpServers:\n  y: { command: yy, args: ["${HOME}"] }\n')
    const planned = await plan({ from: 'other.yaml', to: 'out.yaml' })
    expect(outcomes(planned)).toEqual({ 'mcp-json y': ['added', 'y', undefined] })
    expect(planned.changes[0]?.after).toBe(
      'mcpServers:\n  y:\n    command: yy\n    args:\n      - ${env:HOME}\n',
    )
  })

  it('takes over what other gateways export', async () => {
    house = await createHousehold('linux')
    const servers = {
      news: { type: 'STDIO', description: 'News', command: 'uvx', args: ['mcp-hn'], env: { K: '${KEY}' } },
      remote: {
        type: 'STREAMABLE_HTTP',
        url: 'https://x.example/mcp',
        bearerToken: '${TOKEN}',
        headers: { A: '1' },
      },
      old: { type: 'SSE', url: 'https://y.example/events' },
      fetch: { enabled: true, timeout: 60, command: 'uvx', transportType: 'stdio' },
    }
    await house.write(join(house.places.cwd, 'export.json'), JSON.stringify({ mcpServers: servers }))
    const { changes, items } = await plan({ from: 'export.json', to: 'out.json' })
    expect(JSON.parse(changes[0]!.after.replace(/^\/\/.*/, '')).mcpServers).toEqual({
      news: { command: 'uvx', args: ['mcp-hn'], env: { K: '${env:KEY}' }, description: 'News' },
      remote: {
        url: 'https://x.example/mcp',
        transport: 'http',
        headers: { Authorization: 'Bearer ${env:TOKEN}', A: '1' },
      },
      old: { url: 'https://y.example/events', transport: 'sse' },
      fetch: { command: 'uvx' },
    })
    expect(items.flatMap(({ notes }) => notes)).toEqual(['"timeout" has no meaning here and is left out'])
  })

  it('says when a file is missing or broken, and goes on', async () => {
    house = await createHousehold('linux')
    await house.write(house.files.cursor!, '{ "mcpServers": ')
    const planned = await plan({ clients: ['cursor', 'windsurf'] })
    expect(planned.sources[0]?.error).toBe('A value is missing here')
    expect(outcomes(planned)['windsurf wind']?.[0]).toBe('added')
    expect((await plan({ from: 'nope.json' })).notes[0]).toContain('nope.json does not exist')
  })

  it('keeps what an editor suggests for its questions, but no password', async () => {
    house = await createHousehold('linux')
    const inputs = [
      { type: 'pickString', id: 'region', options: ['eu', 'us'], default: 'eu' },
      { type: 'promptString', id: 'mode', default: 'read only' },
      { type: 'promptString', id: 'key', password: true, default: 'hush' },
      { type: 'pickString', id: 'none', options: ['a'] },
    ]
    const args = inputs.map(({ id }) => `\${input:${id}}`)
    const expected = ['${env:REGION:-eu}', '${env:MODE:-read only}', '${env:KEY}', '${env:NONE}']
    for (const [file, wrap] of [
      ['vscode', (list: object) => list],
      ['vscode settings', (list: object) => ({ mcp: list })],
    ] as const) {
      const list = {
        inputs,
        servers: { [`picky-${file[6] ?? 'x'}`]: { command: 'node', args: [file, ...args] } },
      }
      await house.write(house.files[file]!, JSON.stringify(wrap(list)))
    }
    const { changes, items } = await plan({ clients: ['vscode'] })
    const after = JSON.stringify(changes[0]!.after)
    for (const text of expected) expect(after.split(text).length - 1).toBeGreaterThanOrEqual(2)
    expect(after).not.toContain('hush')
    expect(items[0]!.notes.join()).toContain('REGION instead; without it, "eu" is used')
  })

  it('does not touch a configuration that is broken', async () => {
    house = await createHousehold('linux')
    const to = join(house.places.cwd, 'gantry.json')
    await house.write(to, '{ "mcpServer": {} }')
    const result = await planImport(house.places)
    expect(result.ok ? '' : result.reason).toMatch(/gantry\.json:1: Unknown key "mcpServer".*gantry check/)
  })

  it('skips what would not load, and the gateway itself', async () => {
    house = await createHousehold('linux')
    const servers = {
      bad: { url: 'ftp://x' },
      list: [],
      self: { type: 'http', url: 'http://127.0.0.1:7332/mcp' },
      spawned: { command: 'npx', args: ['-y', 'gantry', 'serve', '--stdio'] },
    }
    await house.write(house.files.cursor!, JSON.stringify({ mcpServers: servers }))
    expect(Object.values(outcomes(await plan({ clients: ['cursor'] }))).map((outcome) => outcome[2])).toEqual(
      [
        '"url" is not valid (A server\'s URL starts with http:// or https://.)',
        'it names neither a command nor a URL',
        'it is this gateway',
        'it is this gateway',
        undefined,
      ],
    )
  })
})
