import { spawn, type ChildProcess } from 'node:child_process'
import { NODE_GUARD, SHELL_GUARD } from './guard-script.node.ts'

/** A guard that was itself killed is replaced, but not for ever. */
const MAX_STARTS_IN_A_ROW = 5

/** Ends all servers when this process dies, even by SIGKILL: one small process holds a pipe to us. */
class ProcessGuard {
  readonly #guarded: Set<number> = new Set()
  #child: ChildProcess | undefined
  #starts = 0
  readonly #shell: boolean = process.platform !== 'win32'

  add(pid: number): void {
    this.#guarded.add(pid)
    if (this.#child === undefined) this.#start()
    else this.#tell(this.#child, '+', pid)
  }

  /** Resolves at once, or when the guard has gone as well if this was the last. */
  async remove(pid: number): Promise<void> {
    if (!this.#guarded.delete(pid)) return
    const child = this.#child
    if (child === undefined) return
    this.#tell(child, '-', pid)
    if (this.#guarded.size > 0) return
    this.#child = undefined
    this.#starts = 0
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.ref()
    child.stdin?.end()
    await gone
  }

  #start(): void {
    this.#starts += 1
    // An image without a shell has Node, certainly.
    const child = (this.#shell && spawnGuard(true)) || spawnGuard(false)
    if (child === undefined) return
    this.#child = child
    child.stdin?.on('error', () => {})
    child.once('exit', () => this.#replace(child))
    child.unref()
    unrefStream(child.stdin)
    for (const pid of this.#guarded) this.#tell(child, '+', pid)
  }

  #replace(child: ChildProcess): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#guarded.size > 0 && this.#starts < MAX_STARTS_IN_A_ROW) this.#start()
  }

  #tell(child: ChildProcess, op: '+' | '-', pid: number): void {
    child.stdin?.write(`${op} ${pid}\n`)
  }
}

/** Undefined when it cannot be started. Servers run without it too; they only may outlive a killed parent. */
function spawnGuard(shell: boolean): ChildProcess | undefined {
  // The script travels in the environment: as an argument it would fill the output of `ps`.
  const [command, args] = shell
    ? ['/bin/sh', ['-c', 'eval "$GUARD"', 'gantry-mcp-guard']]
    : [process.execPath, ['-e', 'eval(process.env.GUARD)', 'gantry-mcp-guard']]
  try {
    const child = spawn(command, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Its own session: a Ctrl-C in the terminal ends us, not the guard.
      detached: process.platform !== 'win32',
      windowsHide: true,
      cwd: shell ? '/' : undefined,
      env: {
        GUARD: shell ? SHELL_GUARD : NODE_GUARD,
        PATH: process.env.PATH,
        SYSTEMROOT: process.env.SYSTEMROOT,
        // Electron's executable is Node only when told so.
        ELECTRON_RUN_AS_NODE: '1',
      },
    })
    child.on('error', () => {})
    return child.pid === undefined ? undefined : child
  } catch {
    return undefined
  }
}

/** The handle of a pipe keeps the event loop alive; the handle of this pipe must not. */
function unrefStream(stream: unknown): void {
  if (
    typeof stream === 'object' &&
    stream !== null &&
    'unref' in stream &&
    typeof stream.unref === 'function'
  ) {
    stream.unref()
  }
}

export const processGuard: ProcessGuard = new ProcessGuard()
