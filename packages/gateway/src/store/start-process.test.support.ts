import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Report } from './store-process.test.support.ts'

const SCRIPT = fileURLToPath(new URL('./store-process.test.support.ts', import.meta.url))
const LOADER = new URL('../../../../scripts/lib/typescript-loader.mjs', import.meta.url).href

export interface StoreProcess {
  readonly child: ChildProcess
  readonly reports: Report[]
  /** What it wrote to standard error. */
  readonly stderr: () => string
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  kill(): Promise<void>
}

/** A process that works on a store; `limit` is the largest file it may write, in KiB. */
export function startProcess(args: readonly string[], { limit }: { limit?: number } = {}): StoreProcess {
  const child =
    limit === undefined
      ? fork(SCRIPT, args, { execArgv: ['--import', LOADER], silent: true })
      : spawn(
          'bash',
          // Without the trap the signal of the limit would end the process.
          [
            '-c',
            `trap '' XFSZ; ulimit -f ${limit}; exec "$0" "$@"`,
            process.execPath,
            '--import',
            LOADER,
            SCRIPT,
            ...args,
          ],
          { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
        )
  const reports: Report[] = []
  let stderr = ''
  child.on('message', (report) => void reports.push(report as Report))
  child.stderr!.on('data', (data) => {
    stderr += String(data)
  })
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return {
    child,
    reports,
    stderr: () => stderr,
    exit,
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
