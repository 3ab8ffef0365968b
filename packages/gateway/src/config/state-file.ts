import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from './write-file-atomic.ts'

/** What a running gateway leaves in its state folder, so that commands find it. */
export interface GatewayState {
  /** Where it listens, without a path. */
  readonly url: string
  /** Opens its admin API; absent when that takes a configured key. */
  readonly token?: string
  readonly pid: number
  readonly version: string
  readonly startedAt: number
}

const NAME = 'gateway.json'

/** Only its owner may read the file: the token in it is as good as the gateway. */
export async function writeStateFile(dir: string, state: GatewayState): Promise<void> {
  const file = join(dir, NAME)
  // A file that exists keeps its permissions, and they may have been opened.
  await rm(file, { force: true })
  await writeFileAtomic(file, `${JSON.stringify(state)}\n`, { mode: 0o600 })
}

/** Undefined when none runs, as far as the file says; it may have been left behind by one that was killed. */
export async function readStateFile(dir: string): Promise<GatewayState | undefined> {
  try {
    const state = JSON.parse(await readFile(join(dir, NAME), 'utf8')) as GatewayState
    return typeof state.url === 'string' && isAlive(state.pid) ? state : undefined
  } catch {
    return undefined
  }
}

/** Another gateway may have taken its place meanwhile. */
export async function removeStateFile(dir: string, pid: number): Promise<void> {
  const state = await readStateFile(dir)
  if (state?.pid === pid) await rm(join(dir, NAME), { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
