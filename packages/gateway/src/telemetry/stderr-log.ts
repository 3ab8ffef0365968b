import { limitedLog, type Log } from './log.ts'

const LIMIT = { lines: 50, period: 1000 }

/** Writes to the log what targets write to stderr, with a level below everything else. */
export class StderrLog {
  readonly #log: Log
  readonly #targets = new Map<string, Log>()

  constructor(log: Log) {
    this.#log = log
  }

  stderr({ name }: { readonly name: string }, line: string): void {
    let log = this.#targets.get(name)
    if (!log) {
      log = limitedLog(this.#log, LIMIT)
      this.#targets.set(name, log)
    }
    log('debug', 'On stderr', { target: name, line })
  }
}
