import { type ChildProcessWithoutNullStreams, spawn, type SpawnOptionsWithoutStdio } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { processGuard } from './guard.node.ts'
import { ProcessTree } from './tree.node.ts'
import { processUsage, windowsTree } from './usage.node.ts'
import type { ProcessExit } from './errors.ts'
import type { StdioProcessUsage } from './stdio-options.ts'
import { McpError } from '../../jsonrpc/index.ts'

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
  }

  get #bytesRead(): number {
    const { stdout, stderr } = this.child
    return (stdout as Socket).bytesRead + (stderr as Socket).bytesRead
  }

  /** Ends the whole tree: `endInput`, SIGTERM after `endMs`, SIGKILL after `termMs`. */
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

  /** Waits until stdout and stderr ended, or are silent after a turn of the event loop. */
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

  /**
   * If we die at the same moment as a server, only the guard can find processes that have left the server's session.
   */
  #guard(sessions: Set<number>): void {
    sessions.delete(this.pid)
    for (const session of sessions) if (!this.#sessions.has(session)) processGuard.add(session)
    for (const session of this.#sessions) if (!sessions.has(session)) processGuard.remove(session)
    this.#sessions = sessions
  }
}

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

interface SpawnRequest {
  command: string
  args: readonly string[]
  env: Record<string, string>
  cwd?: string | undefined
}

type Spawn = (
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio,
) => ChildProcessWithoutNullStreams

/** Starts a program as leader of its own group and session, without a shell. `onPid` comes first. */
async function spawnProcess(
  request: SpawnRequest,
  onPid: (pid: number) => void,
): Promise<ChildProcessWithoutNullStreams> {
  const start = await platformSpawn()
  try {
    const child = start(request.command, request.args, {
      env: request.env,
      cwd: request.cwd,
      // On Windows this would open a console window, and there are no groups to gain.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    if (child.pid !== undefined) onPid(child.pid)
    await started(child)
    return child
  } catch (thrown) {
    throw await spawnError(request, thrown)
  }
}

/** Windows runs only .exe files by itself: `npx` is a .cmd, which needs cmd.exe and its quoting. */
async function platformSpawn(): Promise<Spawn> {
  if (process.platform !== 'win32') return spawn
  const { default: crossSpawn } = await import('cross-spawn')
  return crossSpawn as unknown as Spawn
}

function started(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    // The listener stays: a later error, such as a signal that could not be sent, must not end our process.
    child.on('error', reject)
  })
}

async function spawnError(request: SpawnRequest, thrown: unknown): Promise<McpError> {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined
  const { command, cwd } = request
  const message = `Could not start "${command}": ${await explain(code, request, thrown)}`
  return new McpError('spawn_failed', message, {
    cause: thrown,
    details: { command, args: request.args, cwd, path: request.env.PATH, code },
  })
}

async function explain(code: string | undefined, request: SpawnRequest, thrown: unknown): Promise<string> {
  const { command, cwd } = request
  if (cwd !== undefined && !(await isDirectory(cwd))) {
    return `its working directory "${cwd}" does not exist or is not a directory`
  }
  if (code === 'ENOENT') {
    if (!/[\\/]/.test(command)) {
      return 'command not found. Check that it is installed and on the PATH that the server gets, or give its full path'
    }
    if (await exists(resolve(cwd ?? '.', command))) {
      return 'the file is there, but the interpreter that its first line names is not'
    }
    const hint = isAbsolute(command) ? '' : ` in "${resolve(cwd ?? '.')}"`
    return `there is no such file${hint}`
  }
  if (code === 'EACCES') return 'permission denied. Check that it is a file and executable (chmod +x)'
  return thrown instanceof Error ? thrown.message : String(thrown)
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
