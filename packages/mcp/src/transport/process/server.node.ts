import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Readable } from 'node:stream'
import { processGuard } from './guard.node.ts'
import { type SpawnRequest, spawnProcess } from './spawn.node.ts'
import { ProcessTree } from './tree.node.ts'
import { processUsage, windowsTree } from './usage.node.ts'
import type { ProcessExit } from './errors.ts'
import type { StdioProcessUsage } from './stdio-options.ts'

/** How long the output may stay silent after the process has ended before it is given up. */
const SILENCE_MS = 500
const MAX_SILENCES = 10

/** A child process that we own with everything it starts: nothing of it outlives `release()`, or us. */
export class ServerProcess {
  readonly pid: number
  readonly startedAt: number = Date.now()
  readonly child: ChildProcessWithoutNullStreams
  /** Settles when the process itself has ended; its output may not have been read yet. */
  readonly exited: Promise<void>
  exit: ProcessExit | undefined
  readonly #tree: ProcessTree
  /** Sessions that members of the tree have made, as last seen. The guard knows them as well. */
  #sessions: Set<number> = new Set()
  #released = false
  #bytesRead = 0

  static async start(request: SpawnRequest): Promise<ServerProcess> {
    return new ServerProcess(await spawnProcess(request, (pid) => processGuard.add(pid)))
  }

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child
    this.pid = child.pid as number
    this.#tree = new ProcessTree(this.pid)
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.exit = { code, signal }
        resolve()
      })
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Uint8Array) => {
        this.#bytesRead += chunk.length
      })
    }
  }

  /**
   * Ends the whole tree: `endInput`, then SIGTERM after `endMs`, then SIGKILL after `termMs`. When the process
   * itself has gone earlier, what it left behind is not waited for.
   */
  async end(endInput: () => void, endMs: number, termMs: number): Promise<void> {
    // Before anything ends: a process that left the group can be recognised only while its parents live.
    await this.#tree.members()
    endInput()
    await within(endMs, this.exited)
    await this.sweep(termMs)
    await within(SILENCE_MS, this.exited)
  }

  /** SIGTERM, then SIGKILL after `termMs`, for whatever is alive now. */
  async sweep(termMs: number): Promise<void> {
    // Windows reuses pids quickly, and finds no tree below a process that has gone.
    if (process.platform === 'win32' && this.exit !== undefined) return
    await this.#tree.end(termMs)
  }

  /**
   * Waits until stdout and stderr have ended, so that an answer written just before the exit is not lost. Some
   * other process may hold them open, so silence ends the wait too. It is judged after a turn of the event
   * loop: if we were busy, the timer is due before the bytes that have come meanwhile are read.
   */
  async drained(): Promise<void> {
    const ended = Promise.all([streamEnded(this.child.stdout), streamEnded(this.child.stderr)])
    for (let silences = 0; silences < MAX_SILENCES; silences++) {
      const before = this.#bytesRead
      if (await within(SILENCE_MS, ended)) return
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#bytesRead === before) return
    }
  }

  /** Lets go of the pipes and of the guard. */
  async release(): Promise<void> {
    this.#released = true
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream.destroy()
    this.#guard(new Set())
    await processGuard.remove(this.pid)
  }

  async usage(): Promise<StdioProcessUsage[]> {
    if (this.#released) return []
    if (process.platform === 'win32') return windowsTree(this.pid)
    const members = await this.#tree.members()
    if (!this.#released) this.#guard(new Set(members.map((row) => row.session)))
    return processUsage(members.map((row) => row.pid).sort((a, b) => a - b))
  }

  /** If we die at the same moment as a server, only the guard can find those that have left its session. */
  #guard(sessions: Set<number>): void {
    sessions.delete(this.pid)
    for (const session of sessions) if (!this.#sessions.has(session)) processGuard.add(session)
    for (const session of this.#sessions) if (!sessions.has(session)) processGuard.remove(session)
    this.#sessions = sessions
  }
}

/** Whether the promise settled in time. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

function streamEnded(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, () => resolve())
  })
}
