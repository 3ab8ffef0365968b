import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyRing, openEmbeddedStore } from '../index.ts'
import { describeStore } from '../store-suite.test.support.ts'

const keys = new KeyRing(() => ['a key of the tests, long enough!'])

describeStore('the embedded store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-store-'))
  return {
    open: (options) => openEmbeddedStore({ path: join(folder, 'store.mdb'), keys, ...options }),
    clear: () => rm(folder, { recursive: true, force: true }),
  }
})
