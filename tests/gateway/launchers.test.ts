import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { rawTarget } from '../support/raw-target.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

let dir: string
let gateway: TestGateway

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-launcher-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await gateway?.close()
  await rm(dir, { recursive: true, force: true })
})

/** An `npx` that does what the script says; `$SERVER` then runs the server. */
async function launcher(script: string): Promise<object> {
  const { command, args } = rawTarget()
  const server = [command, ...(args as string[])].map((word) => `'${word}'`).join(' ')
  const npx = join(dir, 'npx')
  await writeFile(npx, `#!/bin/sh\nserve() { ${server}; }\n${script}\n`)
  await chmod(npx, 0o755)
  return { ...rawTarget(), command: npx, args: ['-y', 'some-server'] }
}

const target = () => gateway.gateway.target('raw')!

it('waits for a launcher that installs through child processes, past the time for a start', async () => {
  const entry = await launcher('for i in 1 2 3 4; do sleep 0.5; done; serve')
  gateway = await testGateway({ mcpServers: { raw: { ...entry, timeouts: { start: '1s' } } } })
  await expect.poll(() => target().state).toBe('ready')
  expect(target().main.starts).toBe(1)
})

it('waits for a launcher that has started nothing yet', async () => {
  const entry = await launcher('read -t 5 line < /dev/zero 2>/dev/null; exec 3<>/dev/null; sleep 4; serve')
  gateway = await testGateway({ mcpServers: { raw: { ...entry, timeouts: { start: '5s' } } } })
  await expect.poll(() => target().state).toBe('ready')
})

it('gives up a launched server that hangs', async () => {
  const entry = await launcher('sleep 0.2; sleep 600')
  gateway = await testGateway({ mcpServers: { raw: { ...entry, timeouts: { start: '1s' } } } })
  await expect.poll(() => target().main.reason).toMatch(/did not start within 1000 ms/)
})

it('gives up an installation that takes longer than its own limit', async () => {
  const entry = await launcher('while true; do sleep 0.2; done')
  const timeouts = { start: '500ms', install: '2s' }
  gateway = await testGateway({ mcpServers: { raw: { ...entry, timeouts } } })
  await expect.poll(() => target().main.reason).toMatch(/took longer than 2000 ms/)
})

it('lets an installation end when the gateway stops', async () => {
  const began = join(dir, 'began')
  const done = join(dir, 'done')
  const script = `touch ${began}; for i in 1 2 3 4 5 6; do sleep 0.5; done; touch ${done}; serve`
  gateway = await testGateway({ mcpServers: { raw: await launcher(script) } })
  await expect.poll(() => existsSync(began)).toBe(true)
  await gateway.close()
  expect(existsSync(done)).toBe(true)
})

/** Installs into a folder that it does not lock, as npm 10 does: two at a time, or half of one, break it for good. */
const installing = (seconds: number) => `cd ${dir}
if [ ! -e installed ]; then
  mkdir half || { touch broken; exit 1; }
  for i in $(seq ${2 * seconds}); do sleep 0.5; done
  rmdir half; touch installed
fi
serve`

it('installs a package once for all targets that start it at the same time', async () => {
  const entry = await launcher(installing(2))
  const two = { raw: { ...entry, args: ['-y', 'some-server', 'a'] }, other: { ...entry, start: 'eager' } }
  gateway = await testGateway({ mcpServers: two })
  const both = () => ['raw', 'other'].map((name) => gateway.gateway.target(name)!.state)
  await expect.poll(both).toEqual(['ready', 'ready'])
  expect(existsSync(join(dir, 'broken'))).toBe(false)
})

it.each(['edited twice', 'removed'])('lets an installation end when its target is %s', async (how) => {
  // It takes longer than one may when the gateway stops.
  const entry = await launcher(installing(12))
  const config = (edit: number) => ({ raw: { ...entry, env: { EDIT: String(edit) } } })
  gateway = await testGateway({ mcpServers: config(0) })
  const { stateDir } = gateway
  const apply = async (mcpServers: object) => gateway.gateway.apply(await modelOf({ mcpServers, stateDir }))
  await expect.poll(() => existsSync(join(dir, 'half'))).toBe(true)
  if (how === 'removed') await apply({})
  if (how === 'edited twice') await apply(config(1))
  await apply(config(2))
  await expect.poll(() => target()?.state).toBe('ready')
  expect(existsSync(join(dir, 'broken'))).toBe(false)
})

it('gives launchers folders of its own when there is no home to write to', async () => {
  const home = join(dir, 'home')
  await mkdir(home)
  const seen = join(dir, 'seen')
  const entry = await launcher(`echo "$npm_config_cache|$UV_CACHE_DIR|$HOME" > ${seen}; serve`)
  vi.stubEnv('npm_config_cache', undefined)
  const run = async (HOME: string): Promise<string[]> => {
    gateway = await testGateway({ mcpServers: { raw: { ...entry, env: { HOME } } } })
    await expect.poll(() => target().state).toBe('ready')
    const places = (await readFile(seen, 'utf8')).trim().split('|')
    const { stateDir } = gateway
    await gateway.close()
    return places.map((place) => place.replace(stateDir, 'STATE'))
  }
  expect(await run(home)).toEqual(['', '', home])
  expect(await run('/dev/null/home')).toEqual(['STATE/cache/npm', 'STATE/cache/uv', '/dev/null/home'])
})
