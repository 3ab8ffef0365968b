import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { fileStorage } from './tokens/file-storage.node.ts'
import { AuthWorld } from './fixtures/auth-world.test.node.ts'

it('four processes that share a token file and see 401 at once refresh once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'processes-'))
  const world = await new AuthWorld().start()
  try {
    const script = join(folder, 'call.mjs')
    const source = fileURLToPath(new URL('./fixtures/call-worker.test.node.ts', import.meta.url))
    await build({ entryPoints: [source], outfile: script, bundle: true, platform: 'node', format: 'esm' })
    const path = join(folder, 'tokens')
    await world.call(world.provider({ storage: fileStorage({ path }) }))
    world.revokeAccess()
    const children = Array.from({ length: 4 }, () => fork(script, [path, world.serverUrl]))
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
    expect(codes).toEqual([0, 0, 0, 0])
    const grants = world.as.asked('/token').map(({ form }) => form.get('grant_type'))
    expect(grants).toEqual(['authorization_code', 'refresh_token'])
  } finally {
    await world.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
