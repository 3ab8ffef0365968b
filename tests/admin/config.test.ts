import { readFile, stat, writeFile } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { AdminError, type ApiProblem } from '../../packages/gateway/src/admin/contract.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

const SECRETS = ['first-secret-abc123', 'second-secret-def456', 'third-secret-ghi789', 'fourth-secret-jkl012']

const CONFIG = `// Of the whole team.
{
  "stateDir": "./state",
  "mcpServers": {
    // Notes, in this process.
    "demo": { "module": "gantry:demo" },
    "remote": {
      "url": "http://127.0.0.1:9/mcp?key=${SECRETS[0]}", // nobody listens there
      "headers": { "Authorization": "Bearer ${SECRETS[1]}" },
      "enabled": false
    },
    /* asks questions */
    "asking": {
      "command": ${JSON.stringify(process.execPath)},
      "args": [${JSON.stringify(ASKING_SERVER)}, "--api-key", "${SECRETS[2]}"],
      "env": { "TOKEN": "${SECRETS[3]}", "FROM_ENV": "\${env:GANTRY_TEST_SECRET}" }
    }
  }
}
`

let gateway: AdminGateway
afterEach(() => gateway.close())

const start = async (text = CONFIG, name = 'gantry.jsonc'): Promise<AdminGateway> => {
  gateway = await adminGateway(text, { name, env: { GANTRY_TEST_SECRET: 'from-the-environment-xyz' } })
  return gateway
}

async function failing(promise: Promise<unknown>): Promise<ApiProblem> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AdminError)
  return (error as AdminError).problem
}

describe('secrets', () => {
  it('leave the gateway on no route', async () => {
    const { api } = await start()
    await until(async () => (await api.call('target', { params: { name: 'asking' } })).state === 'ready')
    const { id } = await api.call('startCall', {
      body: { method: 'tools/list', params: {}, client: { era: 'modern', capabilities: {} } },
    })
    await until(async () => (await api.call('playgroundCall', { params: { id } })).status === 'ok')
    const routes = [
      '/api/overview',
      '/api/targets',
      '/api/targets/asking',
      '/api/targets/remote',
      '/api/config',
      '/api/catalog',
      '/api/wire',
      '/api/wire/export',
      '/api/clients',
      '/api/why?name=asking_greet',
      '/api/why?name=remote_x',
      `/api/playground/calls/${id}`,
    ]
    for (const route of routes) {
      const text = await (await gateway.fetch(route)).text()
      for (const secret of [...SECRETS, 'from-the-environment-xyz'])
        expect([route, text.includes(secret)]).toEqual([route, false])
    }
  })

  it('are masked in the text, and stay what they are when masks are sent back', async () => {
    const { api } = await start()
    const { text, revision, writable } = await api.call('config', {})
    expect(writable).toBe(true)
    expect(text.match(/••••\d••••/g)).toHaveLength(4)
    expect(text).toContain('// Of the whole team.')
    const edited = text.replace('"enabled": false', '"enabled": false, "title": "Far away"')
    const { effects, backup } = await api.call('saveConfig', { body: { text: edited, revision } })
    expect(effects.changed).toEqual([{ name: 'remote', keys: ['title'], reconnect: false }])
    const saved = await gateway.readConfig()
    expect(saved).toBe(CONFIG.replace('"enabled": false', '"enabled": false, "title": "Far away"'))
    expect(await readFile(backup!, 'utf8')).toBe(CONFIG)
    expect((await api.call('target', { params: { name: 'remote' } })).title).toBe('Far away')
  })
})

describe('secrets that only their form or their value tells', () => {
  const KEY = `ghp_${'a1B2c3D4e5'.repeat(4)}`
  const ALONE = CONFIG.replace('"--api-key"', `"${KEY}", "--api-key"`).replace(
    '/* asks questions */',
    `/* asks questions with ${SECRETS[3]}; was [redacted] and ••••7•••• before */`,
  )

  it('are masked as well, and a text that is saved as it was shown changes nothing', async () => {
    const { api } = await start(ALONE)
    const { text, revision } = await api.call('config', {})
    expect(text).not.toContain('[redacted]')
    for (const secret of [KEY, ...SECRETS]) expect(text).not.toContain(secret)
    const edited = text.replace('"enabled": false', '"enabled": false, "title": "Far away"')
    await api.call('saveConfig', { body: { text: edited, revision } })
    expect(await gateway.readConfig()).toBe(
      ALONE.replace('"enabled": false', '"enabled": false, "title": "Far away"'),
    )
  })

  it('stay what they are when the entry of a target is saved', async () => {
    const { api } = await start(ALONE)
    const { entry, revision } = (await api.call('target', { params: { name: 'asking' } })).config
    expect(JSON.stringify(entry)).not.toContain('[redacted]')
    const body = { entry: { ...entry, title: 'Asks' }, revision: revision! }
    await api.call('updateTarget', { params: { name: 'asking' }, body })
    const saved = await gateway.readConfig()
    expect(saved).toContain(`"${KEY}"`)
    for (const secret of SECRETS) expect(saved).toContain(secret)
  })

  it.each(['[redacted]', '••••99••••'])('%s is never written in their place', async (mask) => {
    const { api } = await start()
    const { text, revision } = await api.call('config', {})
    const edited = text.replace('"gantry:demo"', `"gantry:demo", "title": "${mask}"`)
    const check = await api.call('checkConfig', { body: { text: edited, revision } })
    expect(check).toMatchObject({ ok: false, problems: [{ code: 'unknown-mask' }] })
    const saved = await failing(api.call('saveConfig', { body: { text: edited, revision } }))
    expect(saved.message).toContain(mask)
    const body = { entry: { module: 'gantry:demo', title: mask }, revision }
    const updated = await failing(api.call('updateTarget', { params: { name: 'demo' }, body }))
    expect(updated).toMatchObject({ code: 'invalid' })
    expect(await gateway.readConfig()).toBe(CONFIG)
  })
})

describe('an edit', () => {
  it('is checked first: problems where they are, and what it would do', async () => {
    const { api } = await start()
    const { text, revision } = await api.call('config', {})
    const broken = text.replace('"enabled": false', '"enabled": false, "isolaton": "user"')
    const check = await api.call('checkConfig', { body: { text: broken, revision } })
    expect(check).toMatchObject({ ok: false })
    const [problem] = check.problems
    const line = broken.split('\n')[problem!.line - 1]!
    expect(line.slice(problem!.column - 1, problem!.column - 1 + problem!.length)).toContain('isolaton')
    expect(check.diff[0]!.lines.filter(({ type }) => type !== 'same').map(({ type }) => type)).toEqual([
      'removed',
      'added',
    ])
    const good = text.replace('// Notes, in this process.', '').replace('"demo":', '"renamed":')
    const { ok, effects } = await api.call('checkConfig', { body: { text: good, revision } })
    expect(ok).toBe(true)
    expect(effects).toMatchObject({ added: ['renamed'], removed: ['demo'], untouched: ['remote', 'asking'] })
    expect(await gateway.readConfig()).toBe(CONFIG)
  })

  it('finds problems on the line of a mask where they are in the masked text', async () => {
    const { api } = await start()
    const { text, revision } = await api.call('config', {})
    const broken = text.replace('"FROM_ENV"', '"FROM_ENV": {}, "X"')
    const { problems } = await api.call('checkConfig', { body: { text: broken, revision } })
    const { line, column } = problems[0]!
    expect(broken.split('\n')[line - 1]!.slice(column - 1)).toMatch(/^("FROM_ENV"|\{\})/)
  })

  it('is refused with the reason when it cannot be used', async () => {
    const { api } = await start()
    const { revision } = await api.call('config', {})
    const invalid = await failing(api.call('saveConfig', { body: { text: '{ "mcpServers": 1 }', revision } }))
    expect(invalid).toMatchObject({
      code: 'invalid',
      details: { problems: [{ severity: 'error', line: 1 }] },
    })
    const mask = await failing(
      api.call('saveConfig', {
        body: { text: '{ "mcpServers": { "a": { "command": "••••9••••" } } }', revision },
      }),
    )
    expect(mask.message).toContain('••••9••••')
    expect(await gateway.readConfig()).toBe(CONFIG)
  })

  it('does not overwrite what another program wrote', async () => {
    const { api } = await start()
    const { text, revision } = await api.call('config', {})
    const theirs = CONFIG.replace('Of the whole team.', 'Mine.')
    await writeFile(gateway.file, theirs)
    const conflict = await failing(api.call('saveConfig', { body: { text, revision } }))
    expect(conflict).toMatchObject({ code: 'conflict', details: { text: expect.stringContaining('Mine.') } })
    expect(JSON.stringify(conflict)).not.toContain(SECRETS[0])
    expect(await gateway.readConfig()).toBe(theirs)
  })

  it('says which parts wait for a restart', async () => {
    const { api } = await start()
    const { text, revision } = await api.call('config', {})
    const edited = text.replace(
      '"stateDir"',
      '"server": { "port": 7999 }, "policy": { "default": "deny" }, "stateDir"',
    )
    const { effects } = await api.call('checkConfig', { body: { text: edited, revision } })
    expect(effects!.sections).toContain('policy')
    expect(effects!.needsRestart.join()).not.toContain('policy')
  })
})

describe('a file that becomes unreadable', () => {
  it('is reported, with the old configuration in use, until it is put right', async () => {
    const { api } = await start()
    await writeFile(gateway.file, '{ "mcpServers": ')
    await until(async () => (await api.call('overview', {})).config.rejected)
    const { config, targets } = await api.call('overview', {})
    expect(config.rejected!.problems[0]).toMatchObject({ severity: 'error', line: 1 })
    expect(targets.map(({ name }) => name)).toEqual(['demo', 'remote', 'asking'])
    const { problems, text } = await api.call('config', {})
    expect(problems.length).toBeGreaterThan(0)
    expect(text).toBe('{ "mcpServers": ')
    await writeFile(gateway.file, CONFIG)
    await until(async () => !(await api.call('overview', {})).config.rejected)
  })
})

describe('targets', () => {
  it('are added, changed, renamed and removed with all comments kept', async () => {
    const { api } = await start()
    const { revision } = await api.call('config', {})
    const added = await api.call('addTarget', {
      body: { name: 'second', entry: { module: 'gantry:demo', prefix: 'two' }, revision },
    })
    expect(added).toMatchObject({ target: 'second', effects: { added: ['second'] } })
    expect((await api.call('overview', {})).targets.map(({ name }) => name)).toContain('second')

    const { config } = await api.call('target', { params: { name: 'asking' } })
    expect(config.entry.env).toEqual({ TOKEN: '••••4••••', FROM_ENV: '${env:GANTRY_TEST_SECRET}' })
    const changed = await api.call('updateTarget', {
      params: { name: 'asking' },
      body: { name: 'questions', entry: { ...config.entry, title: 'Asks' }, revision: config.revision! },
    })
    expect(changed).toMatchObject({ target: 'questions' })
    let text = await gateway.readConfig()
    expect(text).toContain('"questions": {')
    expect(text).toContain(SECRETS[3])
    expect(text).toContain('/* asks questions */')

    await api.call('removeTarget', { params: { name: 'second' }, query: {} })
    text = await gateway.readConfig()
    expect(text).not.toContain('second"')
    for (const comment of [
      '// Of the whole team.',
      '// Notes, in this process.',
      '// nobody listens there',
    ]) {
      expect(text).toContain(comment)
    }
    const { targets } = await api.call('overview', {})
    expect(targets.map(({ name }) => name)).toEqual(['demo', 'remote', 'questions'])
    expect((await stat(gateway.file)).size).toBeGreaterThan(CONFIG.length)
  })

  it('are not added twice, nor from an old state of the file', async () => {
    const { api } = await start()
    const entry = { module: 'gantry:demo' }
    expect(await failing(api.call('addTarget', { body: { name: 'demo', entry } }))).toMatchObject({
      code: 'conflict',
    })
    const old = { name: 'new', entry, revision: '0000000000000000' }
    expect(await failing(api.call('addTarget', { body: old }))).toMatchObject({ code: 'conflict' })
    expect(await failing(api.call('removeTarget', { params: { name: 'none' }, query: {} }))).toMatchObject({
      code: 'not_found',
    })
  })

  it('keep the comments of YAML too', async () => {
    const yaml =
      `# ours\nstateDir: ./state\nmcpServers:\n  demo: # notes\n    module: gantry:demo\n    env_note: x\n`.replace(
        '    env_note: x\n',
        '',
      )
    const { api } = await start(yaml, 'gantry.yaml')
    await api.call('addTarget', { body: { name: 'second', entry: { module: 'gantry:demo', prefix: 'two' } } })
    const text = await gateway.readConfig()
    expect(text).toContain('# ours')
    expect(text).toContain('demo: # notes')
    expect(text).toMatch(/ {2}second:\n {4}module: gantry:demo/)
    expect((await api.call('target', { params: { name: 'second' } })).config).toMatchObject({
      format: 'yaml',
      line: 6,
    })
  })
})

describe('without a file', () => {
  it('nothing can be saved, and the answer says what to do', async () => {
    const { startGateway, loadDemo } = await import('../../packages/gateway/src/main.ts')
    const { configFromValue } = await import('../../packages/gateway/src/config/index.ts')
    await start()
    const { config, embedded } = await loadDemo()
    const { demo } = config.mcpServers!
    const loaded = await configFromValue(
      { stateDir: `${gateway.dir}/other`, mcpServers: { demo: demo! } },
      { overrides: { port: 0, host: undefined } },
    )
    if (!loaded.ok) throw new Error('not loaded')
    const running = await startGateway({
      model: loaded.model,
      embedded,
      logLevel: 'error',
      memoryConfig: JSON.stringify(config),
    })
    try {
      const { createAdminClient } = await import('../../packages/gateway/src/admin/contract.ts')
      const api = createAdminClient({ url: running.url, token: running.adminToken })
      const { writable, revision, text } = await api.call('config', {})
      expect(writable).toBe(false)
      expect(await failing(api.call('saveConfig', { body: { text, revision } }))).toMatchObject({
        code: 'read_only',
        fix: expect.stringContaining('gantry init'),
      })
    } finally {
      await running.close()
    }
  })
})

describe('the files that were in use', () => {
  const versionsOf = async ({ api }: AdminGateway) => (await api.call('configVersions', {})).versions

  it('can be gone back to, any of them, after a look, and bring their secrets', async () => {
    const { api, readConfig } = await start()
    const { text, revision } = await api.call('config', {})
    const [first, ...none] = await versionsOf(gateway)
    expect([first?.isCurrent, first?.by, none]).toEqual([true, undefined, []])
    const titled = (title: string): string =>
      text.replace('"gantry:demo"', `"gantry:demo", "title": "${title}"`)
    const saved = await api.call('saveConfig', { body: { text: titled('Mine'), revision } })
    await api.call('saveConfig', { body: { text: titled('Yours'), revision: saved.revision } })
    const versions = await versionsOf(gateway)
    expect(versions.map(({ isCurrent, by }) => [isCurrent, by])).toEqual([
      [true, 'console'],
      [false, 'console'],
      [false, undefined],
    ])
    const detail = await api.call('configVersion', { params: { id: first!.id } })
    expect(detail.check).toMatchObject({ ok: true, effects: { changed: [{ name: 'demo' }] } })
    expect(JSON.stringify(detail.check.diff)).toContain('Yours')
    for (const secret of SECRETS) expect(JSON.stringify(detail)).not.toContain(secret)
    const restore = (given: string): Promise<unknown> =>
      api.call('restoreConfig', { params: { id: first!.id }, body: { revision: given } })
    expect(await failing(restore(revision))).toMatchObject({ code: 'conflict' })
    await restore(detail.revision)
    expect(await readConfig()).toBe(CONFIG)
    expect((await versionsOf(gateway)).map(({ isCurrent }) => isCurrent)).toEqual([true, false, false, true])
    const unknown = api.call('configVersion', { params: { id: '7' } })
    expect(await failing(unknown)).toMatchObject({ code: 'not_found' })
  })

  it('are kept when the file is changed elsewhere, but not while it cannot be used', async () => {
    const { file } = await start()
    await writeFile(file, '{ "mcpServers": { "demo": 3 } }')
    await until(async () => (await gateway.api.call('config', {})).status.rejected)
    await writeFile(file, CONFIG.replace('Of the whole team', 'Of nobody'))
    await until(async () => (await versionsOf(gateway)).length === 2)
    expect((await versionsOf(gateway)).map(({ by, isCurrent }) => [by, isCurrent])).toEqual([
      [undefined, true],
      [undefined, false],
    ])
  })
})

describe('a file whose text alone changes', () => {
  it('is told of, so that an editor that has the text of before knows it', async () => {
    const { api, file } = await start()
    const ended = new AbortController()
    const events = api.stream('events', { query: { topics: 'config' } }, { signal: ended.signal })
    for await (const { event } of events) {
      if (event.type === 'hello')
        await writeFile(file, CONFIG.replace('Of the whole team', 'Of the night shift'))
      const { text } = await api.call('config', {})
      if (event.type === 'config' && text.includes('Of the night shift')) break
    }
    ended.abort()
    const { text, revision } = await api.call('config', {})
    const saved = { text: text.replace('Of the night shift', 'Of the day shift'), revision }
    expect((await api.call('saveConfig', { body: saved })).effects.changed).toEqual([])
  })
})
