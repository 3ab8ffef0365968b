import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePrograms } from '../../scripts/lib/debian-package.mjs'
import { freePort } from '../../scripts/lib/free-port.mjs'
import type { RedisOptions } from '../../packages/gateway/src/store/index.ts'

export interface RedisServer {
  readonly port: number
  readonly folder: string
  readonly options: RedisOptions
  /** Sends one command, and returns the first line of the answer. */
  ask(command: string): Promise<string>
  /** The process ends as by `kill -9`. */
  kill(): Promise<void>
  /** Once more, with the same port and files. `limit`: the largest file that it may write, in KiB. */
  start(limit?: number, more?: readonly string[]): Promise<void>
  stop(): Promise<void>
}

export interface RedisSettings {
  /** Further arguments of `redis-server`. */
  readonly args?: readonly string[]
  readonly options?: Partial<RedisOptions>
  readonly sentinel?: boolean
  /** A configuration file, which some modes need. */
  readonly file?: string
}

/** A real server of this test alone, with files in a folder of its own. It writes to disk before it answers. */
export async function startRedis(settings: RedisSettings = {}): Promise<RedisServer> {
  const programs = await ensurePrograms(
    ['redis-server', 'redis-sentinel'],
    ['redis-server', 'redis-sentinel'],
  )
  const folder = await mkdtemp(join(tmpdir(), 'gantry-redis-'))
  const port = await freePort()
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no']
  const args = [
    ...(settings.file ? [settings.file] : []),
    ...where,
    ...(settings.sentinel ? ['--sentinel'] : durable),
    ...(settings.args ?? []),
  ]
  let child: ChildProcess
  const ask = (command: string): Promise<string> => askRedis(port, command)
  const start = async (limit?: number, more: readonly string[] = []): Promise<void> => {
    const program = programs['redis-server']
    // Without the trap the signal of the limit would end the process.
    const limited = ['-c', `trap '' XFSZ; ulimit -f ${limit}; exec "$0" "$@"`, program]
    const [command, before] = limit === undefined ? [program, []] : ['bash', limited]
    child = spawn(command, [...before, ...args, ...more], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout!.on('data', (data) => {
        output += String(data)
        if (/Ready to accept connections|Sentinel ID is/.test(output)) resolve()
      })
      child.once('exit', () => reject(new Error(`redis-server ended:\n${output}`)))
    })
    child.stderr!.resume()
    await ready
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  await start()
  return {
    port,
    folder,
    options: {
      place: { kind: 'server', server: { host: '127.0.0.1', port } },
      account: {},
      tls: undefined,
      database: 0,
      timeout: 2000,
      ...settings.options,
    },
    ask,
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function askRedis(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${command}\r\n`)
  let answer = ''
  for await (const data of socket) {
    answer += String(data)
    if (answer.includes('\r\n')) break
  }
  socket.destroy()
  return answer
}
