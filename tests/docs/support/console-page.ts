import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { until } from '../../support/admin-gateway.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const GANTRY = join(ROOT, 'packages/gateway/dist/cli/gantry.js')

/** One `$ command` of a `console` block, and what the page says that it prints. */
export interface Step {
  readonly command: string
  readonly expected: string
}

/** The steps of a page, from top to bottom. `$ cat FILE` shows a file, which is then there. */
export function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map((found) => found[1]!)
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = '', ...lines] = text.split('\n')
        return { command, expected: lines.join('\n').trimEnd() }
      }),
  )
}

/** Commands that go on until they are stopped. */
const LASTING = /^gantry (serve|dev|replay|record)\b/

/** A home folder in which the commands of a page are run, as a reader would. */
export class Reader {
  readonly #home: string
  readonly #running: ChildProcess[] = []

  private constructor(home: string) {
    this.#home = home
  }

  /** With the packages that the page installs, or with all of ours where it installs none. */
  static async begin(page: string): Promise<Reader> {
    const home = await mkdtemp(join(tmpdir(), 'gantry-reader-'))
    const installed = /^npm install (.+)$/m.exec(page)?.[1]?.split(' ') ?? ['']
    for (const name of installed) {
      const place = join('node_modules', name)
      await mkdir(dirname(join(home, place)), { recursive: true })
      await symlink(join(ROOT, place), join(home, place))
    }
    await mkdir(join(home, '.bin'))
    const script = join(home, '.bin', 'gantry')
    await writeFile(script, `#!/bin/sh\nexec "${process.execPath}" "${GANTRY}" "$@"\n`)
    await chmod(script, 0o755)
    return new Reader(home)
  }

  /** What a step prints, as far as it is the same every time. */
  async run({ command, expected }: Step): Promise<string> {
    const file = /^cat (\S+)$/.exec(command)?.[1]
    if (file !== undefined) return this.#show(file, expected)
    if (!LASTING.test(command)) return this.#plain(await this.#output(command))
    // Ports of a page may be taken on this machine.
    const child = this.#spawn(command.replace(/^gantry \w+/, '$& --port 0'))
    this.#running.push(child)
    // Its log goes to standard error, with the time of day.
    const said = collect(child.stdout)
    const isUp = /^gantry dev/.test(command) ? /is ready.*\n$/ : /Press Ctrl\+C to stop\.\n$/
    await until(() => isUp.test(said()) || child.exitCode !== null)
    return this.#plain(said())
  }

  async #show(file: string, text: string): Promise<string> {
    const path = join(this.#home, file.replace(/^~\//, ''))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `${text}\n`)
    return text
  }

  #spawn(command: string): ChildProcess {
    return spawn('bash', ['-c', LASTING.test(command) ? `exec ${command}` : command], {
      cwd: this.#home,
      env: { HOME: this.#home, PATH: `${join(this.#home, '.bin')}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  async #output(command: string): Promise<string> {
    const child = this.#spawn(command)
    const said = collect(child.stdout, child.stderr)
    await new Promise((resolve) => child.once('close', resolve))
    return said()
  }

  #plain(text: string): string {
    return text
      .replaceAll(this.#home, '~')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:7332')
      .replaceAll(/#token=[\w-]+/g, '#token=…')
      .replaceAll(/\b\d+ ms +/g, '… ms ')
      .replaceAll(/\b\d+ ms$/gm, '… ms')
      .trimEnd()
  }

  async end(): Promise<void> {
    for (const child of this.#running) child.kill('SIGTERM')
    await Promise.all(
      this.#running.map((child) => child.exitCode ?? new Promise((resolve) => child.once('close', resolve))),
    )
    await rm(this.#home, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Whether what was printed is what the page says; `…` there stands for anything. */
export function isSaid(actual: string, expected: string): boolean {
  const pattern = expected.split('…').map(escapePattern).join('[\\s\\S]*?')
  return new RegExp(`^${pattern}$`).test(actual)
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

/** What streams say, in the order in which it comes. */
function collect(...streams: (Readable | null)[]): () => string {
  let text = ''
  for (const stream of streams) stream?.setEncoding('utf8').on('data', (part: string) => (text += part))
  return () => text
}
