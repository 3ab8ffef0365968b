import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { catalogRows } from '../../catalog/catalog-store.ts'
import { loadConfig, type UserPlaces } from '../../config/index.ts'
import { openStoreOf } from '../../state/open-state.ts'
import { run } from '../captured-io.test.support.ts'

let places: UserPlaces
beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'gantry-check-'))
  places = { platform: 'linux', home, env: {}, cwd: home }
})
afterEach(() => rm(places.home, { recursive: true }))

const write = (name: string, text: string) => writeFile(join(places.cwd, name), text)

describe('gantry check', () => {
  it('shows every problem in its lines, with the fix, and fails with 2', async () => {
    await write(
      'gantry.yaml',
      'mcpServers:\n  fs:\n    comand: npx\n    env:\n      TOKEN: hunter2\nserver:\n\tport: x\n',
    )
    const broken = await run(places, ['check'])
    expect(broken.code).toBe(2)
    expect(broken.out).toContain('fix Indent with spaces')
    await write(
      'gantry.yaml',
      'mcpServers:\n  fs:\n    comand: npx\n    env:\n      TOKEN: hunter2\nserver:\n  port: x\n',
    )
    const { code, out, err } = await run(places, ['check'])
    expect([code, err]).toEqual([2, ''])
    expect(out).toBe(`gantry.yaml:3:5 error Unknown key "comand" in "fs"  mcpServers.fs.comand
    2 │   fs:
  > 3 │     comand: npx
      │     ^^^^^^
    4 │     env:
  fix Did you mean "command"?

gantry.yaml:7:9 error "port" is not valid  server.port
    6 │ server:
  > 7 │   port: x
      │         ^
    8 │
  fix A port is a number from 0 (any free one) to 65535, or a reference such as "\${env:PORT:-7332}".

✗ gantry.yaml cannot be used: 2 errors
`)
  })

  it('says what a good one has, and what is held back', async () => {
    await write(
      'gantry.json',
      '{"mcpServers":{"fs":{"command":"npx","args":["--token","hunter2"]},"gh":{"url":"https://x.example/mcp?key=hunter2","headers":{"A":"${env:NOPE}"}},"off":{"command":"x","enabled":false}}}',
    )
    const { code, out } = await run(places, ['check'])
    expect(code).toBe(0)
    expect(out).toContain('● fs   npx --token [redacted]')
    expect(out).toContain('○ gh   held back: The environment variable NOPE is not set')
    expect(out).toContain('○ off  off')
    expect(out).toContain('✓ gantry.json is valid: 1 warning')
    expect(out).not.toContain('hunter2')
    expect((await run(places, ['check', '--strict'])).code).toBe(2)
  })

  it('does not print secrets beside a mistake', async () => {
    await write(
      'gantry.json',
      '{\n  "mcpServers": {\n    "a": {\n      "env": { "T": "hunter2" },\n      "comand": "x"\n    }\n  }\n}\n',
    )
    const { out } = await run(places, ['check'])
    expect(out).toContain('"T": "•••••••"')
    expect(out).not.toContain('hunter2')
  })

  it('speaks JSON', async () => {
    await write('team.yaml', 'mcpServers:\n  fs:\n    command: npx\n    strat: lazy\n')
    const bad = await run(places, ['check', 'team.yaml', '--json'])
    expect(bad.code).toBe(2)
    expect(bad.json()).toMatchObject({
      ok: false,
      file: join(places.cwd, 'team.yaml'),
      problems: [
        {
          code: 'unknown-key',
          line: 4,
          column: 5,
          path: 'mcpServers.fs.strat',
          fix: 'Did you mean "start"?',
        },
      ],
    })
    await write('team.yaml', 'mcpServers:\n  fs: { command: npx }\n')
    expect((await run(places, ['--json', '--config', 'team.yaml', 'check'])).json()).toMatchObject({
      ok: true,
      targets: [{ name: 'fs', kind: 'stdio', enabled: true, what: 'npx' }],
    })
  })

  it('tells where it looked when there is nothing', async () => {
    const { code, err } = await run(places, ['check'])
    expect(code).toBe(2)
    expect(err).toContain('error There is no configuration')
    expect(err).toContain(`in ${places.cwd} and ${join(places.home, '.config', 'gantry')}`)
    expect((await run(places, ['check', 'nope.json'])).out).toContain('The configuration file does not exist')
  })

  it('prints the schema', async () => {
    const { json, code } = await run(places, ['check', '--schema'])
    expect(code).toBe(0)
    expect(json().$schema).toContain('2020-12')
  })
})

describe('the rules of a policy', () => {
  const config = (when: string, expectation = 'deny') => `stateDir: state
mcpServers:
  payments:
    command: nothing-like-this
policy:
  rules:
    - deny: ["tools:payments/*"]
      when: ${when}
  tests:
    - name: too much
      call: payments/create_refund
      args: { amount: 900, amuont: 900 }
      expect: ${expectation}
`

  it('are tested by check and by policy test', async () => {
    await write('gantry.yaml', config('args.amount > 500'))
    const good = await run(places, ['policy', 'test'])
    expect([good.code, good.out]).toEqual([0, '✓ too much: deny by the rule "rule 1"\n1 test\n'])
    await write('gantry.yaml', config('args.amount > 500', 'allow'))
    const bad = await run(places, ['policy', 'test'])
    expect([bad.code, bad.out]).toEqual([
      1,
      '✗ too much: deny by the rule "rule 1", expected allow\n1 test, 1 failed\n',
    ])
    const checked = await run(places, ['check'])
    expect(checked.code).toBe(2)
    expect(checked.out).toContain('gantry.yaml:10:7 error The test "too much" fails')
    await write('gantry.yaml', config('args.amount >'))
    const broken = await run(places, ['policy', 'test'])
    expect(broken.code).toBe(2)
    expect(broken.out).toMatch(/\nNo test was run\n$/)
    await write('gantry.yaml', config('args.amount > 500', 'deny\n      rule: rule one'))
    const other = await run(places, ['policy', 'test'])
    expect(other.code).toBe(1)
    expect(other.out).toContain('warning No rule is called "rule one"')
    expect(other.out).toContain('deny by the rule "rule 1", expected deny by the rule "rule one"')
  })

  it('are compared by check with the lists that a gateway knew last', async () => {
    await write('gantry.yaml', config('args.amuont > 500'))
    expect((await run(places, ['check'])).code).toBe(0)
    const loaded = await loadConfig(join(places.cwd, 'gantry.yaml'), { places })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    const store = await openStoreOf(loaded.model)
    const inputSchema = { type: 'object', properties: { amount: { type: 'number' } } }
    const tools = [{ name: 'create_refund', inputSchema }]
    const lists = { tools, prompts: [], resources: [], templates: [], skills: [] }
    await catalogRows(store).put('payments', JSON.stringify({ ...lists, discovery: { capabilities: {} } }))
    await store.close()
    const { code, out } = await run(places, ['check'])
    expect(code).toBe(2)
    expect(out).toContain(
      'gantry.yaml:8:13 error args.amuont is not a field of create_refund; did you mean amount?',
    )
    await write('gantry.yaml', config('args.amount > 500'))
    expect((await run(places, ['check'])).code).toBe(0)
    const view = `
views:
  desk:
    use: ["payments/*"]
    tools: { payments/create_refund: { parameters: { amuont: { fixed: 1 } } } }
`
    await write('gantry.yaml', config('args.amount > 500') + view)
    const viewed = await run(places, ['check'])
    expect(viewed.code).toBe(2)
    expect(viewed.out).toContain(
      'amuont is not a parameter of create_refund; did you mean amount? (view "desk")',
    )
  })
})
