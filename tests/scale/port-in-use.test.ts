import { createServer, type AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gantry } from '../support/source-process.ts'

it('a gateway ends, and names the port, when the port for other gateways is in use', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-port-'))
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  try {
    const file = join(folder, 'gantry.json')
    await writeFile(file, JSON.stringify({ mcpServers: {}, stateDir: folder, server: { cluster: { port } } }))
    await expect(gantry(['serve', '--config', file, '--port', '0'])).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use`,
    )
  } finally {
    taken.close()
    await rm(folder, { recursive: true, force: true })
  }
})
