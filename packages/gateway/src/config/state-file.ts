import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isOwn, readSmallFile } from '../model/index.ts'
import { stateHome, type UserPlaces } from './user-places.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

/** The facts that a running gateway leaves in its state folder, so that commands find it. */
export interface GatewayState {
  /** Where it listens, without a path. */
  readonly url: string
  /** Opens its admin API; absent when that takes a configured key. */
  readonly token?: string
  readonly pid: number
  readonly version: string
  readonly startedAt: number
  /** The configuration file, or the file on the command line, for people. */
  readonly serves?: string
  /** The address at which the supervisor is asked to replace its workers; absent when the gateway is one process. */
  readonly supervisor?: string
}

const MAX_STATE_BYTES = 64 * 1024
const NAME = 'gateway.json'
const NAMES = /^gateway(-\d+)?\.json$/

/** Writes a file that only its owner may read. A second gateway with the same configuration has its own. */
export async function writeStateFile(dir: string, state: GatewayState): Promise<void> {
  const known = await readState(join(dir, NAME))
  const file = join(dir, known && known.pid !== state.pid ? `gateway-${state.pid}.json` : NAME)
  // A file that exists keeps its permissions, and they may have been opened.
  await rm(file, { force: true })
  await writeFileAtomic(file, `${JSON.stringify(state)}\n`, { mode: 0o600 })
}

/** The gateway that has run longest; undefined when no gateway runs. Killed gateways may have left files behind. */
export async function readStateFile(dir: string): Promise<GatewayState | undefined> {
  const files = (await readdir(dir).catch(() => [])).filter((name) => NAMES.test(name))
  const states = await Promise.all(files.map((name) => readState(join(dir, name))))
  return states.filter((state) => state !== undefined).sort((a, b) => a.startedAt - b.startedAt)[0]
}

/** Every gateway of this user that keeps its state where it is kept by default. */
export async function findGateways(places: UserPlaces): Promise<GatewayState[]> {
  const home = join(stateHome(places), 'gantry')
  const folders = await readdir(home).catch(() => [])
  const states = await Promise.all(folders.sort().map((name) => readStateFile(join(home, name))))
  return states.filter((state) => state !== undefined)
}

/** Another gateway may have taken its place meanwhile. */
export async function removeStateFile(dir: string, pid: number): Promise<void> {
  for (const name of [NAME, `gateway-${pid}.json`]) {
    const state = await readState(join(dir, name))
    if (state?.pid === pid) await rm(join(dir, name), { force: true })
  }
}

async function readState(file: string): Promise<GatewayState | undefined> {
  try {
    const state = JSON.parse(await readPrivate(file)) as GatewayState
    return typeof state.url === 'string' && isAlive(state.pid) ? state : undefined
  } catch {
    return undefined
  }
}

/** A file that others could have written says nothing: commands send what it names their credentials. */
function readPrivate(file: string): Promise<string> {
  return readSmallFile(file, {
    most: MAX_STATE_BYTES,
    check: ({ uid, mode }) => {
      const isPrivate = isOwn(uid) && (process.platform === 'win32' || (mode & 0o077) === 0)
      if (!isPrivate) throw new Error(`${file} is not private`)
    },
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
