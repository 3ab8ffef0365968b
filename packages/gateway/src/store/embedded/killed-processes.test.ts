import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../index.ts'
import { describeKills } from '../killed-processes.test.support.ts'

describeKills('the embedded store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-kill-'))
  const path = join(folder, 'store.mdb')
  return {
    argument: path,
    open: () => openEmbeddedStore({ path }),
    clear: () => rm(folder, { recursive: true, force: true }),
  }
})
