import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { gantry, serveFrom } from '../support/source-process.ts'

it('workers with a fixed port for other gateways are replaced: the next needs its own while the one before ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-reload-'))
  const file = join(folder, 'gantry.json')
  const server = { workers: 2, drainDelay: 0, cluster: { port: await freePort() } }
  await writeFile(file, JSON.stringify({ mcpServers: {}, stateDir: folder, server }))
  const gateway = await serveFrom(file)
  try {
    for (let round = 0; round < 2; round += 1)
      expect(await gantry(['reload', '--config', file])).toBe('2 workers replaced\n')
  } finally {
    await gateway.kill()
    await rm(folder, { recursive: true, force: true })
  }
})
