import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { UserPlaces } from '../../config/index.ts'
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
