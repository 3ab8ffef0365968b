import { readlinkSync } from 'node:fs'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IsHeld } from './token-storage.ts'

/** A lock whose holder gave no sign of life for so long is void. */
const STALE_MS = 30_000
const HEARTBEAT_MS = 3_000

/** Where a process id means something: containers may share a directory and a name, but not their ids. */
const HOST = `${hostname()} ${processNamespace()}`

interface Holder {
  readonly id: string
  readonly pid: number
  readonly host: string
}

/** Runs `run` while holding the lock file `path`. Takes over the lock of a dead or silent process. */
export async function withFileLock<T>(
  path: string,
  run: (isHeld: IsHeld) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const mine: Holder = { id: crypto.randomUUID(), pid: process.pid, host: HOST }
  while (!(await tryCreate(path, mine))) {
    signal?.throwIfAborted()
    await removeIfStale(path)
    // Jitter keeps processes that were started together from asking in step.
    await sleep(20 + Math.random() * 60, undefined, signal === undefined ? {} : { signal })
  }
  let beatAt = Date.now()
  const isHeld = (): boolean => Date.now() < beatAt + STALE_MS
  const heartbeat = setInterval(() => {
    // A process that stood still comes here late: the lock may belong to another process by now.
    if (!isHeld()) return
    const now = new Date()
    utimes(path, now, now).then(
      () => {
        beatAt = now.getTime()
      },
      () => {},
    )
  }, HEARTBEAT_MS)
  heartbeat.unref()
  try {
    return await run(isHeld)
  } finally {
    clearInterval(heartbeat)
    if ((await readHolder(path))?.id === mine.id) await rm(path, { force: true })
  }
}

async function tryCreate(path: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(holder), { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    // Windows answers EPERM while a file of that name is being deleted.
    if (code === 'EEXIST' || code === 'EPERM') return false
    throw thrown
  }
}

/** Removes a void lock under a short lock of its own, so that a fresh lock is never removed. */
async function removeIfStale(path: string): Promise<void> {
  if (!(await isStale(path))) return
  const removalLock = `${path}.removal`
  if (!(await tryCreate(removalLock, { id: '', pid: process.pid, host: HOST }))) {
    if (await isStale(removalLock)) await rm(removalLock, { force: true })
    return
  }
  try {
    if (await isStale(path)) await rm(path, { force: true })
  } finally {
    await rm(removalLock, { force: true })
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const age = Date.now() - (await stat(path)).mtimeMs
    if (age > STALE_MS) return true
    const holder = await readHolder(path)
    return holder !== undefined && holder.host === HOST && !isAlive(holder.pid)
  } catch {
    return false
  }
}

/** Undefined while the file is being written, and when it is gone. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
