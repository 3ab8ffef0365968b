import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readSmallFile, readSmallFileSync } from './read-small-file.ts'

const dir = mkdtempSync(join(tmpdir(), 'gantry-files-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const path = (name: string): string => join(dir, name)

describe.skipIf(process.platform === 'win32')('a file that is not what it should be', () => {
  writeFileSync(path('plain'), 'text')
  symlinkSync(path('plain'), path('link'))
  execFileSync('mkfifo', [path('pipe')])
  writeFileSync(path('huge'), '')
  truncateSync(path('huge'), 10 * 2 ** 30)

  it.each([
    ['a pipe that nobody writes to', 'pipe', /not a regular file/],
    ['a folder', '.', /folder|EISDIR/],
    ['a device without an end', '/dev/zero', /not a regular file/],
    ['ten gigabytes', 'huge', /larger than/],
    ['nothing', 'missing', /ENOENT/],
  ])('is refused at once: %s', async (_, name, reason) => {
    const file = name.startsWith('/') ? name : path(name)
    await expect(readSmallFile(file)).rejects.toThrow(reason)
    expect(() => readSmallFileSync(file)).toThrow(reason)
  })

  it('is read when it is one, or a link to one', async () => {
    for (const name of ['plain', 'link']) {
      expect(await readSmallFile(path(name))).toBe('text')
      expect(readSmallFileSync(path(name))).toBe('text')
    }
  })
})
