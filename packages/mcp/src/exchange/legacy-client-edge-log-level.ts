import type { LoggingLevel } from '../protocol/index.ts'
import { mostVerbose } from './client-edge-logs.ts'

/**
 * In this era the log level belongs to the connection, not to a request: it is set to what lets through all
 * that the requests in flight want, and only when that changes.
 */
export class LegacyLogLevel {
  readonly #set: (level: LoggingLevel) => Promise<unknown>
  #last: LoggingLevel | undefined
  #pending: Promise<unknown> = Promise.resolve()

  constructor(set: (level: LoggingLevel) => Promise<unknown>) {
    this.#set = set
  }

  /** Someone set the level directly. */
  note(level: unknown): void {
    this.#last = level as LoggingLevel
  }

  /** Resolves when the server has been told. Its refusal is no reason to fail the request that follows. */
  async require(wanted: LoggingLevel, others: Iterable<LoggingLevel | undefined>): Promise<void> {
    const level = mostVerbose([wanted, ...others])
    if (level !== undefined && level !== this.#last) {
      this.#last = level
      this.#pending = this.#pending.then(() => this.#set(level)).catch(() => {})
    }
    await this.#pending
  }
}
