import { currentPlaces, type UserPlaces } from '../config/index.ts'

/** A stream as a command sees it: something to write to, maybe a terminal. */
export interface CliStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** All that a command has of the world, so that it can be run anywhere. */
export interface CliIo {
  readonly places: UserPlaces
  readonly stdout: CliStream
  /** For everything that is not the result: progress, notes, errors. */
  readonly stderr: CliStream
  /** Asks the user at the terminal; undefined where there is no terminal. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined
}

export function processIo(): CliIo {
  // A reader that went away (`gantry … | head`) is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  const hasTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
  return {
    places: currentPlaces(),
    stdout: process.stdout,
    stderr: process.stderr,
    ...(hasTerminal && { confirm: confirmOnTerminal }),
  }
}

async function confirmOnTerminal(question: string): Promise<boolean> {
  // Loaded here: most commands ask nothing.
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim())
  } finally {
    terminal.close()
  }
}

export interface GlobalOptions {
  readonly json?: boolean
  readonly config?: string
  /** Uses a configuration that is found without asking. */
  readonly yes?: boolean
  readonly color?: boolean
}
