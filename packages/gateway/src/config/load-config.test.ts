import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { revealAll, type GatewayModel, type StdioTarget, type UrlTarget } from '../model/index.ts'
import { loadConfig, parseConfig, configFromValue, type LoadResult } from './load-config.ts'
import type { RawConfig } from '../model/index.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-config-'))
})
afterEach(() => rm(dir, { recursive: true }))

const env = { HOME: '/home/me', TOKEN: 'tok-123', EMPTY: '' }
const places = () => ({ platform: 'linux' as const, home: dir, env, cwd: dir })

async function load(name: string, text: string): Promise<LoadResult> {
  await writeFile(join(dir, name), text)
  return loadConfig(join(dir, name), { places: places() })
}

async function modelOf(value: RawConfig): Promise<GatewayModel> {
  const result = await configFromValue(value, { places: places() })
  if (!result.ok) throw new Error(inspect(result.problems))
  return result.model
}

async function complaints(value: RawConfig): Promise<string[]> {
  const result = await configFromValue(value, { places: places() })
  const problems = result.ok ? result.warnings : result.problems
  return problems.map(
    (problem) => `${problem.severity} ${problem.path}: ${problem.message} | ${problem.fix ?? ''}`,
  )
}

const GOOD_KEY = 'c29tZXRoaW5nIHRoYXQgbm9ib2R5IGd1ZXNzZXM'

describe('formats', () => {
  const expected = { name: 'fs', command: 'npx', args: ['-y', 'server', '.'] }

  it.each([
    ['mcp.json', '{"mcpServers":{"fs":{"command":"npx","args":["-y","server","."]}}}'],
    ['mcp.jsonc', '// mine\n{"mcpServers":{"fs":{"command":"npx",/* go */"args":["-y","server",".",],},},}'],
    ['a.yaml', 'mcpServers:\n  fs: # mine\n    command: npx\n    args: [-y, server, .]\n'],
    [
      'a.yml',
      'x-common: &c\n  command: npx\nmcpServers:\n  fs:\n    <<: *c\n    args:\n      - -y\n      - server\n      - .\n',
    ],
    ['vscode.json', '{"servers":{"fs":{"type":"stdio","command":"npx","args":["-y","server","."]}}}'],
    ['config', '{"mcpServers":{"fs":{"command":"npx","args":["-y","server","."]}}}'],
    ['bom.json', '\uFEFF{"mcpServers":{"fs":{"command":"npx","args":["-y","server","."]}}}'],
    ['crlf.yaml', 'mcpServers:\r\n  fs:\r\n    command: npx\r\n    args: [-y, server, .]\r\n'],
  ])('%s', async (name, text) => {
    const result = await load(name, text)
    expect(result).toMatchObject({ ok: true, model: { targets: [expected] } })
  })

  it('keeps names such as __proto__ and constructor', async () => {
    const json = await load(
      'a.json',
      '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"}}}',
    )
    const yaml = await load('a.yaml', 'mcpServers:\n  __proto__: {command: x}\n  constructor: {command: y}\n')
    for (const result of [json, yaml]) {
      expect(result.ok && result.model.targets.map((target) => target.name)).toEqual([
        '__proto__',
        'constructor',
      ])
    }
  })
})

describe('what is filled in', () => {
  it('is safe and complete for an empty configuration', async () => {
    const model = await modelOf({})
    expect(model).toMatchObject({
      server: { host: '127.0.0.1', port: 7332, loopback: true, console: true },
      auth: { required: false, apiKeys: [] },
      names: { separator: '_', maxLength: 64 },
      catalog: { ttl: 300_000, deadline: 5000 },
      policy: { fallback: 'allow', rules: [] },
      telemetry: { logLevel: 'info', wire: { size: 2000, bodyBytes: 65_536 }, sampling: 1 },
      targets: [],
    })
    expect(model.catalog.persist).toBe(true)
    expect(model.store).toEqual({
      kind: 'embedded',
      path: join(model.stateDir, 'store.mdb'),
      maxBytes: 512 * 1024 * 1024,
    })
    expect(model.stateDir.startsWith(join(dir, '.local', 'state', 'gantry'))).toBe(true)
    expect(Object.isFrozen(model.server.limits)).toBe(true)
  })

  it('lets a sign-in last longer than a timer can wait', async () => {
    const signIn = {
      issuer: 'https://login.example.com',
      clientId: 'gantry',
      clientSecret: 's',
      lifetime: '30d',
    }
    const server = { publicUrl: 'https://mcp.example.com' }
    expect((await modelOf({ server, auth: { signIn } })).auth.signIn?.lifetime).toBe(30 * 86_400_000)
  })

  it('takes a target’s own word before the defaults’', async () => {
    const { targets } = await modelOf({
      defaults: { isolation: 'session', timeouts: { idle: '5s', start: 1000 }, concurrency: 2 },
      mcpServers: {
        a: { command: 'a', timeouts: { idle: '9s' } },
        b: { command: 'b', isolation: 'shared', start: 'lazy', idleStop: '1m', concurrency: 9 },
      },
    })
    expect(targets).toMatchObject([
      {
        isolation: 'session',
        start: 'lazy',
        idleStop: 300_000,
        concurrency: 2,
        timeouts: { idle: 9000, start: 1000 },
      },
      { isolation: 'shared', start: 'lazy', idleStop: 60_000, concurrency: 9, timeouts: { idle: 5000 } },
    ])
  })

  it('compiles every kind of target', async () => {
    await writeFile(join(dir, 'api.yaml'), '')
    await writeFile(join(dir, 'server.mjs'), '')
    await writeFile(join(dir, 'tape.jsonl'), '')
    const { targets } = await modelOf({
      mcpServers: {
        stdio: { command: 'run', cwd: '.' },
        url: { url: 'https://example.com/mcp', transport: 'sse', oauth: { scopes: ['read'] } },
        remote: { type: 'http', url: 'https://example.com/mcp', oauth: false },
        own: { module: './server.mjs', export: 'app' },
        pkg: { module: 'some-package' },
        api: {
          openapi: {
            document: './api.yaml',
            auth: {
              apiKeys: [{ name: 'X-Key', value: '${env:TOKEN}' }],
              basic: { username: 'u', password: 'p' },
            },
            include: ['GET *'],
            group: 'tag',
          },
        },
        web: { openapi: { document: 'https://example.com/openapi.json' } },
        tape: { replay: 'tape.jsonl' },
      },
    })
    expect(targets).toMatchObject([
      { kind: 'stdio', cwd: dir },
      { kind: 'url', transport: 'sse', oauth: { grant: 'authorization_code', scopes: ['read'] } },
      { kind: 'url', transport: 'http', oauth: undefined },
      { kind: 'inProcess', module: join(dir, 'server.mjs'), exportName: 'app' },
      { kind: 'inProcess', module: 'some-package', exportName: 'default' },
      { kind: 'openapi', document: join(dir, 'api.yaml'), group: 'tag', operations: { include: ['GET *'] } },
      { kind: 'openapi', document: 'https://example.com/openapi.json' },
      { kind: 'replay', file: join(dir, 'tape.jsonl'), speed: 0 },
    ])
  })

  it('makes prefixes that are fit for tool names', async () => {
    const { targets } = await modelOf({
      mcpServers: {
        'My Files (home)': { command: 'x' },
        b: { command: 'x', prefix: 'bee' },
        c: { command: 'x', prefix: false },
        日本: { command: 'x' },
      },
    })
    expect(targets.map((target) => target.prefix)).toEqual(['My-Files-home', 'bee', '', 'target'])
  })

  it.each([
    ['my_files', {}, 'my-files', {}],
    ['My Files', {}, 'my-files', {}],
    ['a', { prefix: 'same' }, 'b', { prefix: 'SAME' }],
  ])('refuses %s%j and %s%j, whose URIs would begin alike', async (first, one, second, other) => {
    const config = (more: object) => ({
      mcpServers: { [first]: { command: 'x', ...one }, [second]: { command: 'y', ...other, ...more } },
    })
    const [problem] = await complaints(config({}))
    expect(problem).toContain(`error mcpServers.${second}: The URIs of "${second}" and "${first}" would both`)
    for (const apart of [{ prefix: 'own' }, { prefix: false }, { disabled: true }] as const) {
      expect((await complaints(config(apart))).join()).not.toContain('The URIs')
    }
  })

  it('understands the keys of other clients, and says what becomes of them', async () => {
    const value = {
      mcpServers: {
        w: { serverUrl: 'https://w.example/mcp', disabledTools: ['x'] },
        d: { command: 'x', disabled: true, autoApprove: ['y'] },
      },
    } as RawConfig
    expect((await modelOf(value)).targets).toMatchObject([
      { kind: 'url', url: 'https://w.example/mcp', tools: { exclude: ['x'] } },
      { enabled: false },
    ])
    const said = await complaints(value)
    expect(said).toHaveLength(4)
    expect(said.join('\n')).toContain(
      'warning mcpServers.d.autoApprove: "autoApprove": Means something to a client',
    )
  })
})

describe('references', () => {
  it('come from the environment and from files, and are never printed', async () => {
    await mkdir(join(dir, 'keys'))
    await writeFile(join(dir, 'keys', 'a'), 'file-secret\n')
    await writeFile(join(dir, '.env'), 'FROM_FILE="quoted value" # note\nOVER=file\n')
    const model = await modelOf({
      mcpServers: {
        a: {
          command: 'run',
          envFile: '.env',
          args: ['--key=${env:TOKEN}', '$${env:TOKEN}', 'plain'],
          env: {
            A: '${file:keys/a}',
            B: '${env:NOPE:-plan-b}',
            C: '${env:EMPTY:-full}',
            OVER: 'env',
            N: 5,
          },
        },
        b: {
          url: 'https://example.com/mcp?key=${env:TOKEN}',
          headers: { Authorization: 'Bearer ${env:TOKEN}' },
        },
      },
    })
    const [a, b] = model.targets as [StdioTarget, UrlTarget]
    expect(revealAll(a.env)).toEqual({
      FROM_FILE: 'quoted value',
      A: 'file-secret',
      B: 'plan-b',
      C: 'full',
      OVER: 'env',
      N: '5',
    })
    expect(a.args.slice(1)).toEqual(['${env:TOKEN}', 'plain'])
    expect(String(a.args[0])).toBe('--key=${env:TOKEN}')
    expect(revealAll(b.headers)).toEqual({ Authorization: 'Bearer tok-123' })
    const printed = inspect(model, { depth: 20, showHidden: true }) + JSON.stringify(model)
    for (const secret of ['tok-123', 'file-secret', 'plan-b', 'quoted value'])
      expect(printed).not.toContain(secret)
  })

  it('that lead nowhere hold back their target only', async () => {
    const value: RawConfig = {
      mcpServers: {
        a: { command: 'x', env: { T: '${env:MISSING}' } },
        b: { command: 'y' },
        off: { command: 'z', enabled: false, env: { T: '${env:MISSING_TOO}' } },
      },
    }
    const { targets } = await modelOf(value)
    expect(targets).toMatchObject([
      { enabled: false, disabledReason: 'The environment variable MISSING is not set' },
      { enabled: true, disabledReason: undefined },
      { enabled: false, disabledReason: undefined },
    ])
    expect(await complaints(value)).toEqual([
      'warning mcpServers.a.env.T: The environment variable MISSING is not set | Set it where the gateway is started, or write a default: ${env:MISSING:-…}',
    ])
  })

  it('that lead nowhere in the gateway’s own settings are errors', async () => {
    const [said] = await complaints({ store: { path: '${env:MISSING}' } })
    expect(said).toMatch(/^error store.path/)
    const [file] = await complaints({ server: { sealingKeys: ['${file:nope}'] } })
    expect(file).toMatch(/^error server.sealingKeys\[0\]: The file .*nope cannot be read: it does not exist/)
  })

  it('that belong elsewhere are refused, with their place', async () => {
    expect(await complaints({ store: { keyPrefix: 'x' } } as never)).toEqual([
      expect.stringMatching(/^error store\.keyPrefix: .* \| Write it as "store.redis.prefix"/),
    ])
    expect(await complaints({ redis: 'redis://127.0.0.1' } as never)).toEqual([
      expect.stringMatching(/^error redis: Unknown key "redis" \| Remove it/),
    ])
  })

  it('work for ports and switches', async () => {
    const switches = {
      platform: 'linux' as const,
      home: dir,
      cwd: dir,
      env: { PORT: '8080', ON: 'true', BAD: 'x' },
    }
    const good = await configFromValue(
      { server: { port: '${env:PORT}' }, mcpServers: { a: { command: 'x', enabled: '${env:ON}' } } },
      { places: switches },
    )
    expect(good).toMatchObject({ ok: true, model: { server: { port: 8080 }, targets: [{ enabled: true }] } })
    const bad = await configFromValue({ server: { port: '${env:BAD}' } }, { places: switches })
    expect(bad).toMatchObject({
      ok: false,
      problems: [{ path: 'server.port', message: '${env:BAD} is not a port' }],
    })
  })

  it('of an editor are pointed out', async () => {
    const said = await complaints({
      mcpServers: { a: { command: 'x', args: ['${input:key}', '${workspaceFolder}/x', '${TOKEN}', '${1}'] } },
    })
    expect(said.map((line) => line.replace(/^.*\| /, ''))).toEqual([
      'Only an editor can ask for this: refer to ${env:NAME} or ${file:PATH} instead',
      'Only an editor knows this: write the path, which may be relative to this file or start with ~/',
      'For the environment write ${env:TOKEN}; for plain text write $${TOKEN}',
    ])
  })
})

describe('doors', () => {
  it('are not opened to other machines without a credential', async () => {
    const [said] = await complaints({ server: { host: '0.0.0.0' } })
    expect(said).toMatch(/^error server.host: Other machines can reach 0.0.0.0.*apiKeys/)
    const key = { name: 'ci', key: 'k'.repeat(32) }
    const model = await modelOf({ server: { host: '0.0.0.0' }, auth: { apiKeys: [key] } })
    expect(model.auth).toMatchObject({ required: true, apiKeys: [{ name: 'ci', scopes: [] }] })
    expect(model.auth.apiKeys[0]?.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(model)).not.toContain(key.key)
  })

  it('include the one that a proxy in front opens', async () => {
    const server = { publicUrl: 'https://mcp.example.com' }
    const [said] = await complaints({ server })
    expect(said).toMatch(/^error server.publicUrl: Other machines can reach https:\/\/mcp.example.com/)
    const auth = { apiKeys: [{ name: 'ci', key: 'k'.repeat(32) }] }
    expect(await complaints({ server, auth })).toEqual([])
    expect(await complaints({ server: { publicUrl: 'http://localhost:8080' } })).toEqual([])
  })

  it('include the one the command line opens', async () => {
    const result = await parseConfig('{}', { overrides: { host: '0.0.0.0', port: 9 }, places: places() })
    expect(result).toMatchObject({ ok: false, problems: [{ code: 'auth-required' }] })
    const fine = await parseConfig('{}', { overrides: { host: '::1', port: 9 }, places: places() })
    expect(fine).toMatchObject({ ok: true, model: { server: { host: '::1', port: 9, loopback: true } } })
  })

  it('warn of weak keys, refuse empty ones and twins', async () => {
    const said = await complaints({
      auth: {
        apiKeys: [
          { name: 'a', key: 'short' },
          { name: 'a', key: '${env:EMPTY}' },
        ],
      },
    })
    expect(said.map((line) => line.split(' |')[0])).toEqual([
      'warning auth.apiKeys[0].key: The API key "a" is short enough to be guessed',
      'error auth.apiKeys[1].name: Two API keys are called "a"',
      'error auth.apiKeys[1].key: The API key "a" is empty',
    ])
  })
})

describe('secrets', () => {
  it('are never empty', async () => {
    const value = (text: string): RawConfig => ({
      mcpServers: {
        one: { url: 'https://one.example.com', oauth: { clientId: 'x', clientSecret: text } },
      },
      server: { sealingKeys: [text, 'k'.repeat(31), 'k'.repeat(32), GOOD_KEY] },
      auth: {
        apiKeys: [
          { name: 'a', key: text },
          { name: 'b', sha256: createHash('sha256').update('').digest('hex') },
          { name: 'c', sha256: createHash('sha256').update('\n').digest('hex') },
          { name: 'd', key: GOOD_KEY },
          { name: 'e', sha256: createHash('sha256').update(GOOD_KEY).digest('hex') },
        ],
        bearer: {
          issuer: 'https://auth.example.com',
          audience: 'x',
          introspection: { url: 'https://auth.example.com/i', clientId: 'x', clientSecret: text },
        },
      },
    })
    for (const text of ['${env:EMPTY}', ' ']) {
      const said = (await complaints(value(text))).map((line) => line.split(' |')[0])
      expect(said).toEqual([
        expect.stringMatching(/^(warning|error) mcpServers.one.oauth.clientSecret: The secret is empty/),
        'error server.sealingKeys[0]: The sealing key is empty',
        'error server.sealingKeys[1]: The sealing key has 31 characters, and 32 are the least',
        'error server.sealingKeys[2]: The sealing key repeats itself, so that it can be guessed',
        'error auth.apiKeys[0].key: The API key "a" is empty',
        'error auth.apiKeys[1].sha256: The API key "b" is empty',
        'error auth.apiKeys[2].sha256: The API key "c" is empty',
        'error auth.apiKeys[4]: "d" and "e" are the same API key',
        'error auth.bearer.introspection.clientSecret: The secret is empty',
      ])
    }
  })
})

describe('rules', () => {
  it('name kinds that exist', async () => {
    const rules = (pattern: string) => ({
      mcpServers: { a: { command: 'x' } },
      policy: { rules: [{ deny: [pattern] }] },
    })
    for (const pattern of ['Tools:a/x', 'tool:a/x', 'resource:a/x://y', ' tools:a/x'])
      expect(await complaints(rules(pattern))).toEqual([
        expect.stringContaining(`error policy.rules[0].deny[0]: "${pattern.split('/')[0]}" names no target`),
      ])
    expect(await complaints(rules('a/x://y:1/*'))).toEqual([])
  })

  it('are parsed, and doubted when they are about nothing', async () => {
    const value: RawConfig = {
      mcpServers: { github: { command: 'x' } },
      policy: { rules: [{ allow: ['githb/*'], who: { apiKeys: ['ci'] } }] },
    }
    expect((await modelOf(value)).policy.rules).toEqual([
      {
        name: 'rule 1',
        who: { principals: [], scopes: [], apiKeys: ['ci'] },
        allow: [
          {
            kind: undefined,
            target: 'githb',
            name: '*',
            forms: { exact: '*', loose: '*' },
            uri: { exact: '*', loose: '*', bare: '*' },
          },
        ],
        deny: [],
        confirm: false,
      },
    ])
    const said = (await complaints(value)).join('\n')
    expect(said).toContain('No target is called "githb" | Did you mean "github"?')
    expect(said).toContain('No API key is called "ci"')
    expect(said).toContain('These rules forbid nothing')
  })

  it('are doubted when a URI in them can be read in several ways', async () => {
    const about = (pattern: string): RawConfig => ({
      mcpServers: { one: { command: 'x' } },
      policy: { rules: [{ deny: [pattern] }] },
    })
    expect((await complaints(about('resources:one/doc://open/../secret/*'))).join()).toContain('several ways')
    expect((await complaints(about('one/doc://open/..%2Fsecret/*'))).join()).toContain('several ways')
    expect(await complaints(about('resources:one/DOC://open/./x/*'))).toEqual([])
    expect(await complaints(about('tools:one/../x'))).toEqual([])
  })

  it('name callers field by field', async () => {
    const bearer = { issuer: 'https://auth.example.com', audience: 'x' }
    const about = (principals: object[] | string[]) =>
      ({
        mcpServers: { one: { command: 'x' } },
        auth: { bearer },
        policy: { rules: [{ deny: ['one'], who: { principals } }] },
      }) as RawConfig
    const { policy } = await modelOf(
      about(['*@example.com', { kind: 'workload', subject: 'nightly' }, { subject: 'key:ops' }] as object[]),
    )
    expect(policy.rules[0]?.who.principals).toEqual([
      { kind: 'person', issuer: bearer.issuer, subject: '*@example.com' },
      { kind: 'workload', issuer: bearer.issuer, subject: 'nightly' },
      { kind: 'person', issuer: bearer.issuer, subject: 'key:ops' },
    ])
    expect((await complaints(about(['key:ops', 'https://auth.example.com ann']))).join('\n')).toMatch(
      /^error .*not an API key.*\nerror .*an issuer and a subject in one text/,
    )
    const foreign = [{ issuer: 'https://other.example.com', subject: 'ann' }]
    expect((await complaints(about(foreign))).join('\n')).toMatch(/^warning .*No tokens of https:..other/)
    const { auth: _auth, ...withoutTokens } = about(['ann'])
    expect((await complaints(withoutTokens)).join('\n')).toMatch(/warning .*no tokens are accepted/)
  })
})

describe('files that cannot be used', () => {
  it('are reported as values', async () => {
    expect(await loadConfig(join(dir, 'none.json'))).toMatchObject({
      ok: false,
      problems: [{ code: 'unreadable', message: 'The configuration file does not exist' }],
    })
    expect(await loadConfig(dir)).toMatchObject({ ok: false, problems: [{ code: 'unreadable' }] })
  })

  it.each([
    ['empty.json', '', 'The file is empty'],
    ['empty.yaml', '# nothing\n', 'The file is empty'],
    ['list.json', '[]', 'The configuration must be an object with keys, and is a list'],
  ])('%s', async (name, text, message) => {
    expect(await load(name, text)).toMatchObject({ ok: false, problems: [{ message }] })
  })
})
