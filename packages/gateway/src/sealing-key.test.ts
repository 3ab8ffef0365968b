import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { GatewayModel } from './model/index.ts'
import { createSealer } from './sealing-key.ts'

let dir: string
const said: string[] = []
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-seal-'))
  said.length = 0
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const file = (): string => join(dir, 'sealing.key')
const create = () =>
  createSealer({ server: { sealingKeys: [] }, stateDir: dir } as unknown as GatewayModel, (_level, text) =>
    said.push(text),
  )

it('keeps one key for everybody who starts here', async () => {
  const sealers = await Promise.all([create(), create(), create()])
  const sealed = await sealers[0]!.seal('kept', 'x')
  for (const sealer of [...sealers, await create()]) expect(await sealer.open(sealed, 'x')).toBe('kept')
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect(said).toEqual([])
})

it.each(['', '\n', 'cut-off'])('makes a new key where the file holds %j', async (text) => {
  await writeFile(file(), text, { mode: 0o600 })
  const sealed = await (await create()).seal('kept', 'x')
  expect(said).toEqual([expect.stringContaining('is empty or was cut off')])
  expect((await readFile(file(), 'utf8')).length).toBe(43)
  expect(await (await create()).open(sealed, 'x')).toBe('kept')
  expect(said).toHaveLength(1)
})

it('goes on without a file that cannot be read, and says so', async () => {
  await rm(dir, { recursive: true })
  await writeFile(dir, 'not a folder')
  const sealer = await create()
  expect(await sealer.open(await sealer.seal('kept', 'x'), 'x')).toBe('kept')
  expect(said).toEqual([expect.stringContaining('cannot be kept')])
})
