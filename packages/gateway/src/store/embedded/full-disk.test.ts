import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openEmbeddedStore } from '../index.ts'
import { startProcess, type StoreProcess } from '../start-process.test.support.ts'
import type { Report } from '../store-process.test.support.ts'

const SIZE_IN_KIB = 2048
let folder: string
let isMounted: boolean

/** A disk of its own where that is permitted; else the system limits the size of files. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-full-'))
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_IN_KIB}k`, 'tmpfs', folder]).status === 0
})

afterEach(async () => {
  if (isMounted) spawnSync('umount', [folder])
  await rm(folder, { recursive: true, force: true })
})

async function expectSound(worker: StoreProcess, path: string): Promise<void> {
  expect(await worker.exit).toEqual({ code: 0, signal: null })
  expect(worker.stderr()).toBe('')
  const refused = worker.reports.filter((report) => report.did === 'refused')
  expect(refused.length).toBe(5)
  for (const { code, message } of refused) {
    expect(code).toBe('full')
    expect(message).toContain('full')
  }
  const put = worker.reports.filter(
    (report): report is Extract<Report, { did: 'put' }> => report.did === 'put',
  )
  expect(put.length).toBeGreaterThan(10)
  const store = await openEmbeddedStore({
    path,
  })
  const kept = (await store.rows({ name: 'written' }).list()).map(({ key }) => key)
  expect(kept.sort()).toEqual(
    put
      .map(({ key }) => key)
      .slice(5)
      .sort(),
  )
  expect((await store.inspect()).problems).toEqual([])
  await store.close()
}

it('a full disk is an error of the write, and what was acknowledged stays', async () => {
  const path = join(folder, 'store.mdb')
  const worker = startProcess([path, 'fill', 'f'], isMounted ? {} : { limit: SIZE_IN_KIB })
  await expectSound(worker, path)
})

it('so is a limit on the size of files', async () => {
  const path = join(folder, 'store.mdb')
  await expectSound(startProcess([path, 'fill', 'f'], { limit: SIZE_IN_KIB / 2 }), path)
})
