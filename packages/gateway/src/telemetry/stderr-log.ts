import { limitedLog, type Log } from './log.ts'

const LIMIT = { lines: 50, period: 1000 }

/** What targets write to stderr, in the log. It is for those who look closely: a level below everything else. */
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
