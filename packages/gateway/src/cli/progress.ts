import type { CliIo } from './cli-io.ts'
import type { Paint } from './paint.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const PATIENCE = 1000
const CLEAR_LINE = '\r\u001b[K'

/** Waits for work; when that takes more than a second, a terminal shows what is going on and for how long. */
export async function withProgress<T>(
  cli: { readonly io: CliIo; readonly json: boolean; readonly notePaint: Paint },
  label: string,
  work: (update: (label: string) => void) => Promise<T>,
  patience: number = PATIENCE,
): Promise<T> {
  let current = label
  const update = (next: string) => {
    current = next
  }
  const { stderr } = cli.io
  if (stderr.isTTY !== true || cli.json) return work(update)
  const { notePaint: paint } = cli
  const started = Date.now()
  let frame = 0
  const draw = () => {
    const waited = Date.now() - started
    if (waited < patience) return
    const seconds = paint.dim(`${Math.floor(waited / 1000)}s`)
    stderr.write(`${CLEAR_LINE}${paint.cyan(FRAMES[frame++ % FRAMES.length]!)} ${current} ${seconds}`)
  }
  const timer = setInterval(draw, 100)
  try {
    return await work(update)
  } finally {
    clearInterval(timer)
    if (frame > 0) stderr.write(CLEAR_LINE)
  }
}
