import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acceptText } from '../../../packages/gateway/src/config/index.ts'
import { until } from '../../support/admin-gateway.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
export const GANTRY: string = join(ROOT, 'packages/gateway/dist/cli/gantry.js')

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A folder with a home of its own, in which the built command is run. */
export interface Workshop {
  readonly dir: string
  write(name: string, text: string): Promise<string>
  /** Runs a command to its end. */
  run(...args: string[]): Promise<Ended>
  /** Starts one that goes on. */
  start(...args: string[]): Running
  close(): Promise<void>
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly out: string
  readonly err: string
  /** Waits for what is printed to standard output, and returns what the pattern found. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** The address of its endpoint, once it is known. */
  endpoint(): Promise<string>
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

export async function openWorkshop(env: Record<string, string> = {}): Promise<Workshop> {
  if (!existsSync(GANTRY)) throw new Error('These tests run the built command: npm run build')
  const dir = await mkdtemp(join(tmpdir(), 'gantry-cli-'))
  // So that programs in it find the packages as a user's would.
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  const running = new Set<Running>()
  const start = (...args: string[]): Running => {
    const child = spawn(process.execPath, [GANTRY, ...args], {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir, ...env },
    })
    const one = follow(child)
    running.add(one)
    child.once('exit', () => running.delete(one))
    return one
  }
  return {
    dir,
    write: async (name, text) => {
      await writeFile(join(dir, name), text)
      // The configurations of these tests are the user's own, who has accepted them before.
      const places = { platform: process.platform, home: dir, env, cwd: dir }
      if (name.startsWith('gantry.')) await acceptText(join(dir, name), text, places)
      return join(dir, name)
    },
    run: (...args) => {
      const one = start(...args)
      one.child.stdin.end()
      return ended(one)
    },
    start,
    async close() {
      await Promise.all([...running].map((one) => one.stop()))
      await rm(dir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const one: Running = {
    child,
    get out() {
      return out
    },
    get err() {
      return err
    },
    says: (pattern) =>
      until(() => pattern.exec(out), `"${pattern}" in:\n${out}\n${err}`) as Promise<RegExpExecArray>,
    endpoint: async () => (await one.says(/http:\/\/127\.0\.0\.1:\d+\/mcp/))[0],
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended(one)
    },
  }
  return one
}

async function ended(one: Running): Promise<Ended> {
  const { child } = one
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  return { code: child.exitCode, out: one.out, err: one.err }
}

/** A server with one tool for each word. */
export function serverWith(...tools: string[]): string {
  const lines = tools.map((name) => `app.tool('${name}', { description: 'Says it', run: () => '${name}' })`)
  return `import { Server } from '@gantry/mcp/server'
import { serveStdio } from '@gantry/mcp/server/node'
const app = new Server({ name: 'words', version: '1.0.0' })
${lines.join('\n')}
await serveStdio(app)
`
}
