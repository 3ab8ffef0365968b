import type { Command } from 'commander'
import { writeJson } from '@gantry/mcp/exchange'
import { escapeControls } from '../model/index.ts'
import type { CliIo, CliStream, GlobalOptions } from './cli-io.ts'
import { createPaint, hasColours, type Paint } from './paint.ts'
import { withProgress } from './progress.ts'
import { formatTable } from './table.ts'

/** One run of a command: its options, and the ways to say something. */
export class Cli<Options extends GlobalOptions = GlobalOptions> {
  readonly options: Options
  readonly io: CliIo

  constructor(options: Options, io: CliIo) {
    this.options = options
    this.io = io
  }

  /** Whether the result is wanted as JSON. */
  get json(): boolean {
    return this.options.json === true
  }

  /** Colours for standard output. */
  get paint(): Paint {
    return this.paintFor(this.io.stdout)
  }

  /** Colours for standard error. */
  get notePaint(): Paint {
    return this.paintFor(this.io.stderr)
  }

  paintFor(stream: CliStream): Paint {
    return createPaint(this.options.color !== false && hasColours(stream, this.io.places.env))
  }

  /** Prints a line of the result. */
  say(text = ''): void {
    this.io.stdout.write(`${text}\n`)
  }

  /** Prints a line that is no part of the result. */
  note(text = ''): void {
    this.io.stderr.write(`${text}\n`)
  }

  printJson(value: unknown): void {
    const lines = writeJson(value, undefined, 2).split('\n')
    this.say(lines.map(escapeControls).join('\n'))
  }

  table(rows: readonly (readonly string[])[]): void {
    for (const line of formatTable(rows)) this.say(line)
  }

  /** Waits for work, and shows on a terminal what is going on when it takes long. */
  progress<T>(label: string, work: (update: (label: string) => void) => Promise<T>): Promise<T> {
    return withProgress(this, label, work)
  }
}

/** The callback for commander. `run` gets the arguments of the command, and then its `Cli`. */
export function action<Options extends GlobalOptions, Args extends unknown[]>(
  io: CliIo,
  run: (...args: [...Args, Cli<Options>]) => void | Promise<void>,
): (...given: unknown[]) => void | Promise<void> {
  return (...given) => {
    const self = given.at(-1) as Command
    return run(...(given.slice(0, -2) as Args), new Cli(self.optsWithGlobals<Options>(), io))
  }
}
