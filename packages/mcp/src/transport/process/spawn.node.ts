import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { McpError } from '../../jsonrpc/index.ts'

export interface SpawnRequest {
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

/**
 * Starts a program without a shell, as the leader of a process group (and session) of its own. That makes
 * every descendant recognisable, and keeps a Ctrl-C in our terminal from reaching the server before us.
 *
 * `onPid` is called as soon as there is a process, before anything is awaited.
 */
export async function spawnProcess(
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
    // Stays: a later error (a signal that could not be sent) must not be thrown at the process.
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
