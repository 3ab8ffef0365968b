import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { UserPlaces } from '../config/index.ts'
import { run } from './captured-io.test.support.ts'

const SERVER = fileURLToPath(new URL('../../../../tests/fixtures/raw-server.mjs', import.meta.url))
let places: UserPlaces
let broken: string
let config: string

/** An `npx` that fails for as long as the folder of a half installation is there. */
beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'gantry-repair-'))
  places = { platform: 'linux', home, env: {}, cwd: home }
  broken = join(home, 'cache', '_npx', '8b9bd1b4b0d7a7d6')
  await mkdir(broken, { recursive: true })
  const server = [process.execPath, SERVER, '{}'].map((word) => `'${word}'`).join(' ')
  const complaint = `Error: Cannot find module '${broken}/node_modules/zod/index.js'`
  const npx = join(home, 'npx')
  await writeFile(
    npx,
    `#!/bin/sh\n[ -d '${broken}' ] && { echo "${complaint}" >&2; exit 1; }\nexec ${server}\n`,
  )
  await chmod(npx, 0o755)
  config = join(home, 'gantry.json')
  const entry = { command: npx, args: ['-y', 'some-server'], era: 'legacy' }
  await writeFile(config, JSON.stringify({ mcpServers: { it: entry }, stateDir: join(home, 'state') }))
})
afterEach(() => rm(places.home, { recursive: true, force: true }))

it('removes what npx left and looks again, after a yes', async () => {
  const questions: string[] = []
  const confirm = async (question: string) => questions.push(question) > 0
  const { code, out } = await run(places, ['doctor', '--fix', '--config', config], { confirm })
  expect([code, questions]).toEqual([0, [`Repair it: remove ${broken}? [y/N] `]])
  expect(out).toContain('✓ it')
  expect(existsSync(broken)).toBe(false)
})

it('asks nothing with --yes', async () => {
  expect((await run(places, ['doctor', '--fix', '--yes', '--config', config])).code).toBe(0)
  expect(existsSync(broken)).toBe(false)
})

it('leaves everything as it is without a yes, and says what would help', async () => {
  const { code, out, err } = await run(places, ['doctor', '--fix', '--config', config])
  expect(code).toBe(1)
  expect(out).toContain('gantry doctor it --fix')
  expect(err).toContain('--yes repairs it')
  expect(existsSync(broken)).toBe(true)
})
