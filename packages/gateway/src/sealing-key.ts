import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Sealer } from '@gantry/mcp/exchange'
import type { GatewayModel } from './model/index.ts'

/** The configured keys; else one that is made once and kept, so that clients' state survives a restart. */
export async function createSealer(model: GatewayModel): Promise<Sealer> {
  const configured = model.server.sealingKeys.map((key) => key.reveal())
  if (configured.length > 0) return new Sealer(configured)
  try {
    return new Sealer([await keptKey(model.stateDir)])
  } catch {
    // A folder that cannot be written costs only that: state does not outlive this process.
    return new Sealer()
  }
}

async function keptKey(dir: string): Promise<string> {
  const file = join(dir, 'sealing.key')
  await mkdir(dir, { recursive: true, mode: 0o700 })
  try {
    const handle = await open(file, 'wx', 0o600)
    const key = randomBytes(32).toString('base64url')
    await handle.writeFile(key)
    await handle.close()
    return key
  } catch {
    return (await readFile(file, 'utf8')).trim()
  }
}
