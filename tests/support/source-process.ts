import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isBuilt } from '../../scripts/lib/build.mjs'

const LOADER = new URL('../../scripts/lib/typescript-loader.mjs', import.meta.url).href
const COMMAND = fileURLToPath(new URL('../../packages/gateway/src/cli/gantry.ts', import.meta.url))
const SOURCE = ['--conditions', '@gantry/source', '--import', LOADER, COMMAND]
const BUILT = [fileURLToPath(new URL('../../packages/gateway/dist/cli/gantry.js', import.meta.url))]
// What is built starts in a third of the time. A build that is older than its sources is not what is tested.
const GANTRY = isBuilt('gateway') ? BUILT : SOURCE

export interface ServeOptions {
  readonly port?: number
  /** The URL of a module that runs in it first. */
  readonly preload?: string
}

/** A gateway in a process of its own. */
export interface SourceProcess {
  readonly child: ChildProcess
  readonly url: string
  readonly endpoint: string
  readonly token: string
  /** Without any time to tidy up. */
  kill(): Promise<void>
}

export async function serveFrom(
  configFile: string,
  { port = 0, preload }: ServeOptions = {},
): Promise<SourceProcess> {
  const first = preload === undefined ? [] : ['--import', preload]
  const serve = ['serve', '--config', configFile, '--port', String(port), '--json']
  const args = [...first, ...GANTRY, ...serve]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const printed = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (/"endpoint": *"[^"]+"/.test(text) && /\}\s*$/.test(text)) resolve(text)
    })
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}: ${errors}`)))
  })
  const endpoint = /"endpoint": *"([^"]+)"/.exec(printed)![1]!
  const token = /#token=([^"]+)"/.exec(printed)?.[1] ?? ''
  return {
    child,
    endpoint,
    url: new URL(endpoint).origin,
    token,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Runs a command in a process of its own; what it prints. */
export async function gantry(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...GANTRY, ...args], {
    env: { ...process.env, ...env },
  })
  return stdout
}
