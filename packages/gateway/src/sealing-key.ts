import { randomBytes } from 'node:crypto'
import { link, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Sealer } from '@gantry/mcp/exchange'
import { writeFileAtomic } from './config/index.ts'
import { readSmallFile, type GatewayModel } from './model/index.ts'
import type { Log } from './telemetry/log.ts'

/** Shorter than any key that is made here: the file was cut off, or is not ours. */
const SHORTEST = 32

/** The configured keys; else one that is made once and kept, so that clients' state survives a restart. */
export async function createSealer({ server, stateDir }: GatewayModel, log: Log): Promise<Sealer> {
  const configured = server.sealingKeys.map((key) => key.reveal())
  if (configured.length > 0) return new Sealer(configured)
  try {
    return new Sealer([await keptKey(stateDir, log)])
  } catch (error) {
    // A folder that cannot be used costs only that: state does not outlive this process.
    log('warn', `The sealing key cannot be kept, so sessions end with this process: ${String(error)}`)
    return new Sealer()
  }
}

async function keptKey(dir: string, log: Log): Promise<string> {
  const file = join(dir, 'sealing.key')
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const kept = await readKey(file)
  if (kept === undefined) return makeKey(file)
  if (kept.length >= SHORTEST) return kept
  // What was sealed with the key that was there is lost. Not to start, or to use what is left, would be worse.
  log('warn', `${file} is empty or was cut off: a new key is made, and clients begin new sessions`)
  await writeFileAtomic(file, newKey(), { mode: 0o600 })
  return (await readKey(file))!
}

/** Written in full before it has its name: another gateway that starts at the same time finds all of it or nothing. */
async function makeKey(file: string): Promise<string> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`
  try {
    await writeFileAtomic(temporary, newKey(), { mode: 0o600 })
    // Whoever comes second takes the key of the first.
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    return (await readKey(file))!
  } finally {
    await rm(temporary, { force: true })
  }
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    return (await readSmallFile(file)).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function newKey(): string {
  return randomBytes(32).toString('base64url')
}
