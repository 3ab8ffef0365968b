import type { Served } from '../exchange/index.ts'
import { serveStream, type ServeStreamOptions } from './serve-stream.node.ts'
import { guardStdout } from './stdout-guard.node.ts'

export interface ServeStdioOptions extends Omit<ServeStreamOptions, 'write'> {
  /** Sends stray prints to stderr; on unless switched off. */
  guardStdout?: boolean
  /**
   * Ends the process when it is still there so many milliseconds after the end of input: a handler that never ends
   * must not outlive its client. Default 2000; false leaves it to you.
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
  if (exitAfter !== false)
    process.stdin.once('end', () => setTimeout(() => process.exit(), exitAfter).unref())
  if (!guarded) return serveStream(served, process.stdin, process.stdout, rest)
  const guard = guardStdout()
  try {
    await serveStream(served, process.stdin, process.stdout, { ...rest, write: guard.write })
  } finally {
    guard.restore()
  }
}
