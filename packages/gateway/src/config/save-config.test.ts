import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { saveConfig } from './save-config.ts'

let file: string
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'gantry-save-')), 'gantry.yaml')
})
afterEach(() => rm(join(file, '..'), { recursive: true }))

const before = '# mine\nserver: { port: 1 }\n'
const after = '# mine\nserver: { port: 2 }\n'

describe('saveConfig', () => {
  it('writes what is usable and keeps what was there', async () => {
    await writeFile(file, before)
    const saved = await saveConfig(file, after, { expected: before })
    expect(saved).toMatchObject({
      ok: true,
      loaded: { model: { server: { port: 2 } } },
      backup: `${file}.bak`,
    })
    expect([await readFile(file, 'utf8'), await readFile(`${file}.bak`, 'utf8')]).toEqual([after, before])
  })

  it('makes a new file', async () => {
    expect(await saveConfig(file, after, { expected: undefined })).toMatchObject({
      ok: true,
      backup: undefined,
    })
  })

  it('refuses what is not usable', async () => {
    await writeFile(file, before)
    const refused = await saveConfig(file, 'server: { prot: 2 }\n', { expected: before })
    expect(refused).toMatchObject({
      ok: false,
      reason: 'invalid',
      problems: [{ fix: 'Did you mean "port"?' }],
    })
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  it('does not write over what another program wrote', async () => {
    await writeFile(file, '# theirs\n')
    expect(await saveConfig(file, after, { expected: before })).toEqual({
      ok: false,
      reason: 'conflict',
      text: '# theirs\n',
    })
    expect(await saveConfig(file, after, { expected: undefined })).toMatchObject({ reason: 'conflict' })
    await rm(file)
    expect(await saveConfig(file, after, { expected: before })).toMatchObject({
      reason: 'conflict',
      text: undefined,
    })
  })
})
