import type { Served } from '../../exchange/index.ts'
import { serveStream, type ServeStreamOptions } from './serve-stream.node.ts'
import { guardStdout } from './stdout-guard.node.ts'

export interface ServeStdioOptions extends Omit<ServeStreamOptions, 'write'> {
  /** Sends stray prints to stderr; on unless switched off. */
  guardStdout?: boolean
  /**
   * Ends the process when it is still there so many milliseconds after the end of input, or after its client was left
   * because it does not read: a handler that never ends must not outlive its client. Default 2000; false leaves it to you.
   */
  exitAfter?: number | false
}

/**
 * Serves on standard input and output, in both eras, until the input ends.
 *
 * ```ts
 * await serveStdio(app)
 * ```
 */
export async function serveStdio(served: Served, options: ServeStdioOptions = {}): Promise<void> {
  const { guardStdout: guarded = true, exitAfter = 2_000, ...rest } = options
  const exitSoon = (code?: number): void => {
    if (exitAfter !== false) setTimeout(() => process.exit(code), exitAfter).unref()
  }
  process.stdin.once('end', () => exitSoon())
  const tell = rest.onCutOff ?? (({ message }) => void process.stderr.write(`${message}\n`))
  rest.onCutOff = (reason) => {
    tell(reason)
    // What is left in the pipe keeps the process alive.
    exitSoon(1)
  }
  if (!guarded) return serveStream(served, process.stdin, process.stdout, rest)
  const guard = guardStdout()
  try {
    await serveStream(served, process.stdin, process.stdout, { ...rest, write: guard.write })
  } finally {
    guard.restore()
  }
}
