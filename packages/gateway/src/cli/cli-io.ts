import { writeJson } from '@gantry/mcp/exchange'
import { currentPlaces, type UserPlaces } from '../config/index.ts'
import { createPaint, hasColours, type Paint } from './paint.ts'

/** A stream as a command sees it: something to write to, maybe a terminal. */
export interface CliStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** All that a command has of the world, so that it can be run anywhere. */
export interface CliIo {
  readonly places: UserPlaces
  /** For results. */
  readonly stdout: CliStream
  /** For everything that is not the result: progress, notes, errors. */
  readonly stderr: CliStream
}

export function processIo(): CliIo {
  // A reader that went away (`gantry … | head`) is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  return { places: currentPlaces(), stdout: process.stdout, stderr: process.stderr }
}

/** What the options that every command has come to. */
export interface GlobalOptions {
  readonly json?: boolean
  readonly config?: string
  readonly color?: boolean
}

export function paintFor(stream: CliStream, io: CliIo, options: GlobalOptions): Paint {
  return createPaint(options.color !== false && hasColours(stream, io.places.env))
}

export function printLine(stream: CliStream, text = ''): void {
  stream.write(`${text}\n`)
}

export function printJson(io: CliIo, value: unknown): void {
  printLine(io.stdout, writeJson(value, undefined, 2))
}
