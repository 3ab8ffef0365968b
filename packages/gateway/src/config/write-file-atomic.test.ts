import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeFileAtomic } from './write-file-atomic.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-write-'))
})
afterEach(() => rm(dir, { recursive: true }))

describe('writeFileAtomic', () => {
  it('creates a file, and folders on the way, for its owner only', async () => {
    const file = join(dir, 'a', 'b', 'c.json')
    await writeFileAtomic(file, '{}')
    expect(await readFile(file, 'utf8')).toBe('{}')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('keeps permissions, the previous content and nothing else', async () => {
    const file = join(dir, 'c.json')
    await writeFile(file, 'old', { mode: 0o644 })
    await writeFileAtomic(file, 'new', { backup: `${file}.bak` })
    expect((await stat(file)).mode & 0o777).toBe(0o644)
    expect(await readFile(`${file}.bak`, 'utf8')).toBe('old')
    expect((await readdir(dir)).sort()).toEqual(['c.json', 'c.json.bak'])
  })

  it('writes through a symbolic link', async () => {
    await writeFile(join(dir, 'real.json'), 'old')
    await symlink(join(dir, 'real.json'), join(dir, 'link.json'))
    await writeFileAtomic(join(dir, 'link.json'), 'new')
    expect((await lstat(join(dir, 'link.json'))).isSymbolicLink()).toBe(true)
    expect(await readFile(join(dir, 'real.json'), 'utf8')).toBe('new')
  })

  it('leaves the old file and no litter behind when it fails', async () => {
    await expect(writeFileAtomic(dir, 'x')).rejects.toThrow()
    expect(await readdir(dir)).toEqual([])
    const litter = (await readdir(tmpdir())).filter((name) => name.startsWith(`${dir.split('/').at(-1)}.`))
    expect(litter).toEqual([])
  })
})
