import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../packages/gateway/dist/cli/gantry.js', import.meta.url))

/** Memory is read from `/proc`, and the command is the built one. */
export const CAN_MEASURE: boolean = existsSync(COMMAND) && existsSync('/proc/self/status')

/** A gateway in a process of its own, so that its memory can be measured. */
export class GatewayProcess {
  readonly child: ChildProcess
  readonly port: number
  readonly #dir: string

  private constructor(child: ChildProcess, port: number, dir: string) {
    this.child = child
    this.port = port
    this.#dir = dir
  }

  static async start(config: Record<string, unknown>, nodeArgs: string[] = []): Promise<GatewayProcess> {
    const dir = await mkdtemp(join(tmpdir(), 'gantry-process-'))
    await writeFile(join(dir, 'gantry.json'), JSON.stringify({ ...config, stateDir: dir }))
    const command = [
      ...nodeArgs,
      COMMAND,
      'serve',
      '--config',
      join(dir, 'gantry.json'),
      '--port',
      '0',
      '--json',
    ]
    const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'ignore'] })
    const endpoint = await new Promise<string>((resolve, reject) => {
      let printed = ''
      child.stdout!.on('data', (chunk) => {
        printed += chunk
        const found = /"endpoint": *"([^"]+)"/.exec(printed)
        if (found) resolve(found[1]!)
      })
      child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}`)))
    })
    return new GatewayProcess(child, Number(new URL(endpoint).port), dir)
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  /** Memory that it has now, in MB. */
  get megabytes(): number {
    return this.#memory('VmRSS')
  }

  /** The most that it has had, in MB. */
  get peak(): number {
    return this.#memory('VmHWM')
  }

  #memory(name: string): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8')
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.child
    if (exitCode === null && signalCode === null) {
      const ended = new Promise((resolve) => this.child.once('exit', resolve))
      this.child.kill('SIGKILL')
      await ended
    }
    await rm(this.#dir, { recursive: true, force: true })
  }
}
