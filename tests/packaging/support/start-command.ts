import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface RunningCommand extends AsyncDisposable {
  readonly endpoint: string
}

/** Runs `gantry serve` as a user would, and resolves when it says where it listens. */
export async function startCommand(
  script: string,
  cwd: string,
  what: readonly string[] = ['--demo'],
): Promise<RunningCommand> {
  const child = spawn(process.execPath, [script, 'serve', ...what, '--port', '0', '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A home of its own: nothing of the user's is read or written.
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      HOME: cwd,
      USERPROFILE: cwd,
      APPDATA: cwd,
      XDG_CONFIG_HOME: cwd,
      XDG_STATE_HOME: cwd,
    },
  })
  const exited = once(child, 'exit')
  let output = ''
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += data
  })
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      output += data
      const found = /"endpoint":\s*"([^"]+)"/.exec(output)
      if (found) resolve(found[1]!)
    })
    exited.then(() => reject(new Error(`gantry ended before it served: ${output}${errors}`)))
  })
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
