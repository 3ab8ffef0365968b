import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { UserPlaces } from '../config/index.ts'
import { run } from './captured-io.test.support.ts'
import { COMMANDS } from './commands.ts'

let places: UserPlaces
beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'gantry-cli-'))
  places = { platform: 'linux', home, env: {}, cwd: home }
})
afterEach(() => rm(places.home, { recursive: true }))

describe('gantry', () => {
  it('--help names every command and the exit codes', async () => {
    const { code, out, err } = await run(places, ['--help'])
    expect([code, err]).toEqual([0, ''])
    for (const { name, summary } of COMMANDS) {
      expect(out).toContain(name)
      expect(out.replaceAll(/\s+/g, ' ')).toContain(summary)
    }
    expect(out).toContain('Exit codes:\n  0  it worked')
  })

  it('explains one command, asked for either way', async () => {
    const asked = [await run(places, ['check', '--help']), await run(places, ['help', 'check'])]
    for (const { code, out } of asked) {
      expect(code).toBe(0)
      expect(out).toContain('Usage: gantry check [options] [file]')
      expect(out).toContain('--strict')
      expect(out).toContain('--json')
    }
  })

  it('prints its version', async () => {
    expect((await run(places, ['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([
    [['chekc'], /unknown command 'chekc'[\s\S]*Did you mean check/],
    [['check', '--stirct'], /unknown option '--stirct'[\s\S]*Did you mean --strict/],
    [['import', 'emacs'], /Allowed choices are claude-desktop/],
    [['check', 'a', 'b'], /too many arguments/],
  ])('%s is a mistake of usage', async (argv, message) => {
    const { code, err, out } = await run(places, argv)
    expect(code).toBe(2)
    expect(err).toMatch(message)
    expect(out).toBe('')
  })

  it('without a command explains itself', async () => {
    const { code, err, out } = await run(places, [])
    expect(code).toBe(2)
    expect(err + out).toContain('Usage: gantry')
  })

  it('uses colours on terminals only, and not when they are unwanted', async () => {
    await writeFile(join(places.cwd, 'gantry.json'), '{ "x": 1 }')
    const isColoured = async (argv: string[], env: Record<string, string>, isTTY: boolean) =>
      (await run({ ...places, env }, argv, { isTTY })).out.includes('\u001b[')
    expect(await isColoured(['check'], {}, true)).toBe(true)
    expect(await isColoured(['check'], {}, false)).toBe(false)
    expect(await isColoured(['check'], { NO_COLOR: '1' }, true)).toBe(false)
    expect(await isColoured(['check', '--no-color'], {}, true)).toBe(false)
    expect(await isColoured(['check', '--json'], {}, true)).toBe(false)
    expect(await isColoured(['check'], { TERM: 'dumb' }, true)).toBe(false)
    expect(await isColoured(['check'], { FORCE_COLOR: '1' }, false)).toBe(true)
  })

  it('reports mistakes of usage as JSON, too', async () => {
    const { code, json, err } = await run(places, ['call', '--json'])
    expect([code, err]).toEqual([2, expect.stringContaining("missing required argument 'name'")])
    expect(json()).toEqual({ ok: false, error: { message: "missing required argument 'name'" } })
  })

  it('reports errors as JSON when JSON is asked for', async () => {
    const { code, json, err } = await run(places, ['check', '--json'])
    expect([code, err]).toEqual([2, ''])
    expect(json()).toMatchObject({ ok: false, error: { message: 'There is no configuration' } })
  })
})
