import type { Served } from '../../exchange/index.ts'
import { type Duration, parseDuration } from '../../protocol/index.ts'
import { requireStreamOptions, serveStream, type ServeStreamOptions } from './serve-stream.node.ts'
import type { WriteBytes } from './line-writer.node.ts'

export interface ServeStdioOptions extends Omit<ServeStreamOptions, 'write'> {
  /** Sends stray prints to stderr; on unless switched off. */
  guardStdout?: boolean
  /** How long until the process ends after its input or its client. Default 2 s; false: never. */
  exitAfter?: Duration | false
}

/**
 * Serves on standard input and output, in both eras, until the input ends.
 *
 * ```ts
 * await serveStdio(app)
 * ```
 */
export async function serveStdio(served: Served, options: ServeStdioOptions = {}): Promise<void> {
  requireStreamOptions(options, { guardStdout: 1, exitAfter: 1 })
  const { guardStdout: guarded = true, exitAfter = 2_000, ...rest } = options
  const exitSoon = (code?: number): void => {
    if (exitAfter !== false) setTimeout(() => process.exit(code), parseDuration(exitAfter)).unref()
  }
  process.stdin.once('end', () => exitSoon())
  const tell = rest.onCutOff ?? (({ message }) => void process.stderr.write(`${message}\n`))
  rest.onCutOff = (reason) => {
    tell(reason)
    // Data that is left in the pipe would keep the process alive.
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

/** Sends what is printed to stdout to stderr. Returns the real writer and a function that restores it. */
function guardStdout(): { write: WriteBytes; restore: () => void } {
  const real = process.stdout.write
  const write = real.bind(process.stdout) as WriteBytes
  // Looked up when something is printed: opening stderr takes a start the better part of a millisecond.
  const diverted = ((...printed: Parameters<typeof process.stderr.write>) =>
    process.stderr.write(...printed)) as typeof process.stdout.write
  process.stdout.write = diverted
  return {
    write,
    restore() {
      if (process.stdout.write === diverted) process.stdout.write = real
    },
  }
}
