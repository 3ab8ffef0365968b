import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../index.ts'
import { describeStore } from '../store-suite.test.support.ts'

describeStore('the embedded store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-store-'))
  return {
    open: (options) => openEmbeddedStore({ path: join(folder, 'store.mdb'), ...options }),
    clear: () => rm(folder, { recursive: true, force: true }),
  }
})
