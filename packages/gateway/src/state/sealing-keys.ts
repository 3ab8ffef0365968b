import { randomBytes } from 'node:crypto'
import { chmodSync, statSync } from 'node:fs'
import { link, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeFileAtomic } from '../config/index.ts'
import { readSmallFileSync, repeatsItself, type GatewayModel } from '../model/index.ts'
import type { Log } from '../telemetry/log.ts'

/** Shorter than any key that is made here: the file was cut off, or is not ours. */
const SHORTEST = 32

export interface SealingKeys {
  /** Keys for the text that clients carry: session ids, task ids, request state. The first seals, all open. */
  readonly sealing: readonly string[]
  /** Keys for rows of the store: the configured keys, then the keys of the file, which is read again. */
  stored(): readonly string[]
}

/** The configured keys; else one that is made once and kept, so that clients' state survives a restart. */
export async function loadSealingKeys(model: GatewayModel, log: Log): Promise<SealingKeys> {
  if (model.server.sealingKeys.length === 0) {
    await keepKey(keyFile(model), log, 'clients begin new sessions')
  }
  return readSealingKeys(model)
}

/** The existing keys. Does not make a key. */
export function readSealingKeys(model: GatewayModel): SealingKeys {
  const configured = model.server.sealingKeys.map((key) => key.reveal())
  const kept = (): readonly string[] => readKeys(keyFile(model)) ?? []
  return { sealing: configured.length > 0 ? configured : kept(), stored: () => [...configured, ...kept()] }
}

export function keyFile({ stateDir }: GatewayModel): string {
  return join(stateDir, 'sealing.key')
}

/** Makes sure that the file has a key. `lost` says what it means when the previous key was lost. */
export async function keepKey(file: string, log: Log, lost: string): Promise<void> {
  const kept = readKeys(file)
  if (kept === undefined) return makeKey(file)
  closeToOthers(file, log)
  if (kept.length > 0) return
  // Everything sealed with the damaged key is lost. To refuse the start, or to use the rest of the key, would be worse.
  log('warn', `${file} is empty or was cut off: a new key is made, and ${lost}`, { event: 'key-replaced' })
  await writeFileAtomic(file, newKey(), { mode: 0o600 })
}

/** Written in full before it has its name: another gateway that starts at the same time finds all of it or nothing. */
async function makeKey(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`
  try {
    await writeFileAtomic(temporary, newKey(), { mode: 0o600 })
    // The second of two takes the key of the first.
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
}

/** One key a line, the newest first; undefined without a file. */
export function readKeys(file: string): string[] | undefined {
  try {
    const lines = readSmallFileSync(file).split('\n')
    return lines.map((line) => line.trim()).filter((line) => line.length >= SHORTEST && !repeatsItself(line))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function closeToOthers(file: string, log: Log): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return
  chmodSync(file, 0o600)
  log(
    'warn',
    `${file} could be read by other users: put a new key on its first line if you do not trust them`,
    { event: 'key-readable' },
  )
}

export function newKey(): string {
  return randomBytes(32).toString('base64url')
}
