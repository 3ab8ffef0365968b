import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stateDirFor, type UserPlaces } from '../config/index.ts'
import { run } from './captured-io.test.support.ts'

let places: UserPlaces
beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'gantry-trust-'))
  const cwd = join(home, 'project')
  await mkdir(cwd)
  places = { platform: process.platform, home, env: {}, cwd }
})
afterEach(() => rm(places.home, { recursive: true, force: true }))

const ran = (): boolean => existsSync(join(places.cwd, 'ran'))

/** A configuration whose target leaves a trace. */
async function plant(folder: string = places.cwd, name = 'gantry.yaml', note = ''): Promise<string> {
  await mkdir(folder, { recursive: true })
  const script = `require('fs').writeFileSync(${JSON.stringify(join(places.cwd, 'ran'))}, '')`
  // It ends at once, and is not waited for.
  const restart = { policy: 'never' }
  const target = { command: process.execPath, args: ['-e', script, '--', '--token', 'hush-hush'], restart }
  const file = join(folder, name)
  await writeFile(file, `${note}mcpServers: ${JSON.stringify({ evil: target })}\n`)
  return file
}

describe('a configuration that is found in the current folder', () => {
  it.each(['tools', 'targets', 'doctor', 'serve'])(
    'is not run by "%s" when nobody can be asked',
    async (command) => {
      await plant()
      const { code, err } = await run(places, [command])
      expect(code).toBe(2)
      expect(err).toMatch(/gantry\.yaml was found here and never accepted.*\n.*--config gantry\.yaml/)
      expect(ran()).toBe(false)
    },
  )

  it('is asked about on a terminal, once for each content', async () => {
    await plant()
    const asked: string[] = []
    const answer = (yes: boolean) => ({
      confirm: async (question: string) => {
        asked.push(question)
        return yes
      },
    })
    const refused = await run(places, ['tools'], answer(false))
    expect(refused.code).toBe(2)
    expect(refused.err).toMatch(/It would run:\n +evil +.*-e .*--token \[redacted\]/)
    expect(ran()).toBe(false)
    await run(places, ['tools'], answer(true))
    expect(ran()).toBe(true)
    await run(places, ['tools'], answer(false))
    expect(asked).toHaveLength(2)
    await plant(places.cwd, 'gantry.yaml', '# changed\n')
    expect((await run(places, ['tools'], answer(false))).code).toBe(2)
    expect(asked).toHaveLength(3)
  })

  it.each([
    ['--yes', ['--yes', 'tools']],
    ['--config', ['--config', 'gantry.yaml', 'tools']],
  ])('is run with %s, and remembered', async (_, argv) => {
    await plant()
    await run(places, argv)
    expect(ran()).toBe(true)
    await rm(join(places.cwd, 'ran'))
    await run(places, ['tools'])
    expect(ran()).toBe(true)
  })

  it('is the one that "gantry init" made: nothing is asked', async () => {
    expect((await run(places, ['init'])).code).toBe(0)
    expect((await run(places, ['targets'])).err).not.toMatch(/never accepted/)
  })
})

it("runs the configuration in the user's settings without a question", async () => {
  await plant(join(places.home, '.config', 'gantry'))
  await run({ ...places, platform: 'linux' }, ['tools'])
  expect(ran()).toBe(true)
})

it.skipIf(process.platform === 'win32').each(['the file', 'the folder'])(
  "asks about the configuration in the user's settings when every user can write %s",
  async (open) => {
    const folder = join(places.home, '.config', 'gantry')
    const file = await plant(folder)
    await chmod(open === 'the file' ? file : folder, 0o777)
    const { code, err } = await run({ ...places, platform: 'linux' }, ['tools'])
    expect([code, ran()]).toEqual([2, false])
    expect(err).toContain('never accepted')
  },
)

const STRANGER = 12345

describe.skipIf(process.platform === 'win32')("a link in the user's settings", () => {
  const linkTo = async (file: string): Promise<void> => {
    const folder = join(places.home, '.config', 'gantry')
    await mkdir(folder, { recursive: true })
    await symlink(file, join(folder, 'gantry.yaml'))
  }
  const isRun = async (): Promise<boolean> => {
    const { code, err } = await run({ ...places, platform: 'linux' }, ['tools'])
    if (!ran()) expect([code, err]).toEqual([2, expect.stringContaining('never accepted')])
    return ran()
  }

  it('is followed to a file of the user', async () => {
    await linkTo(await plant(join(places.home, 'dotfiles')))
    expect(await isRun()).toBe(true)
  })

  it('is asked about when every user can replace what it leads to', async () => {
    const folder = join(places.home, 'shared')
    await linkTo(await plant(folder))
    await chmod(folder, 0o777)
    expect(await isRun()).toBe(false)
  })

  it.skipIf(process.getuid?.() !== 0)('is asked about when it leads to a file of another user', async () => {
    const file = await plant(join(places.home, 'theirs'))
    await chown(file, STRANGER, STRANGER)
    await linkTo(file)
    expect(await isRun()).toBe(false)
  })
})

it('a link in the current folder is asked about, also to a file that was accepted elsewhere', async () => {
  const file = await plant(join(places.home, 'other'))
  await run({ ...places, cwd: join(places.home, 'other') }, ['--yes', 'targets'])
  await rm(join(places.cwd, 'ran'), { force: true })
  await symlink(file, join(places.cwd, 'gantry.yaml'))
  expect((await run(places, ['tools'])).err).toContain('never accepted')
  expect(ran()).toBe(false)
})

it.skipIf(process.platform === 'win32').each(['the file', 'the folder'])(
  'warns of a named configuration when every user can write %s',
  async (open) => {
    const file = await plant()
    const named = (command: string) => run(places, [command, '--config', file])
    expect((await named('check')).out).not.toContain('warning')
    await chmod(open === 'the file' ? file : places.cwd, 0o777)
    const warning = /warning Every user of this machine can change .*\n.*fix chmod o-w/s
    const checked = await named('check')
    expect([checked.code, checked.out]).toEqual([0, expect.stringMatching(warning)])
    const used = await named('targets')
    expect([ran(), used.err]).toEqual([true, expect.stringMatching(warning)])
    // Nobody can replace files of others in a folder such as /tmp.
    await chmod(open === 'the file' ? file : places.cwd, open === 'the file' ? 0o644 : 0o1777)
    expect((await named('check')).out).not.toContain('warning')
  },
)

describe('GANTRY_TOKEN', () => {
  async function gatewayAt(dir: string, mode: number, host = '127.0.0.1') {
    const seen: (string | undefined)[] = []
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://${host}:${(server.address() as AddressInfo).port}`
    await mkdir(dir, { recursive: true })
    const file = join(dir, 'gateway.json')
    await writeFile(file, JSON.stringify({ url, pid: process.pid, version: '1', startedAt: 1 }))
    await chmod(file, mode)
    return { seen, close: () => server.close() }
  }
  const tokened = (): UserPlaces => ({ ...places, env: { GANTRY_TOKEN: 'the-admin-token' } })

  it.skipIf(process.platform === 'win32')(
    'is not sent where a file names that others can write',
    async () => {
      const file = await plant(places.cwd, 'gantry.yaml', 'stateDir: ./state\n')
      const other = await gatewayAt(join(places.cwd, 'state'), 0o644)
      await run(tokened(), ['--config', file, 'tools'])
      expect(other.seen).toEqual([])
      other.close()
    },
  )

  it('is not sent off this machine for a state folder of the configuration', async () => {
    const file = await plant(places.cwd, 'gantry.yaml', 'stateDir: ./state\n')
    // The address is this machine's under a name that need not be.
    const other = await gatewayAt(join(places.cwd, 'state'), 0o600, '0.0.0.0')
    await run(tokened(), ['--config', file, 'tools'])
    expect(other.seen.length).toBeGreaterThan(0)
    expect(other.seen.join()).not.toContain('the-admin-token')
    other.close()
  })

  it("is sent to a gateway in the user's own state folder", async () => {
    const file = await plant()
    const own = await gatewayAt(stateDirFor(file, places), 0o600)
    await run(tokened(), ['--config', file, 'tools'])
    expect(own.seen.join()).toContain('the-admin-token')
    own.close()
  })
})
