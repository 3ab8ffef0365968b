import { type CliIo, type GlobalOptions, paintFor } from './cli-io.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const PATIENCE = 1000
const CLEAR_LINE = '\r\u001b[K'

export interface ProgressOptions extends GlobalOptions {
  /** How long to say nothing, in milliseconds. */
  readonly patience?: number
}

/** Waits for work; when that takes more than a second, a terminal shows what is going on and for how long. */
export async function withProgress<T>(
  io: CliIo,
  label: string,
  work: (update: (label: string) => void) => Promise<T>,
  options: ProgressOptions = {},
): Promise<T> {
  let current = label
  const update = (next: string) => {
    current = next
  }
  if (io.stderr.isTTY !== true || options.json) return work(update)
  const paint = paintFor(io.stderr, io, options)
  const started = Date.now()
  let frame = 0
  const draw = () => {
    const waited = Date.now() - started
    if (waited < (options.patience ?? PATIENCE)) return
    const seconds = paint.dim(`${Math.floor(waited / 1000)}s`)
    io.stderr.write(`${CLEAR_LINE}${paint.cyan(FRAMES[frame++ % FRAMES.length]!)} ${current} ${seconds}`)
  }
  const timer = setInterval(draw, 100)
  try {
    return await work(update)
  } finally {
    clearInterval(timer)
    if (frame > 0) io.stderr.write(CLEAR_LINE)
  }
}
