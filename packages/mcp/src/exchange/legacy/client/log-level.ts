import type { LoggingLevel } from '../../../protocol/index.ts'
import { mostVerbose } from '../../client/client-edge.ts'

export interface LevelRequest {
  /** Resolves when the server has been told. Its refusal is no reason to fail the request that follows. */
  readonly told: Promise<unknown>
  leave(): void
}

/** Sets the connection's log level to what all requests in flight want, when that changes. */
export class LegacyLogLevel {
  readonly #set: (level: LoggingLevel) => Promise<unknown>
  #last: LoggingLevel | undefined
  #pending: Promise<unknown> = Promise.resolve()
  readonly #entering = new Set<{ readonly level: LoggingLevel }>()

  constructor(set: (level: LoggingLevel) => Promise<unknown>) {
    this.#set = set
  }

  note(level: unknown): void {
    this.#last = level as LoggingLevel
  }

  /** Counts a request that is about to be sent, so that two at once do not undo each other's level. */
  enter(level: LoggingLevel, others: Iterable<LoggingLevel | undefined>): LevelRequest {
    const request = { level }
    this.#entering.add(request)
    const entering = [...this.#entering].map((one) => one.level)
    return {
      told: this.#require(mostVerbose([...entering, ...others])),
      leave: () => this.#entering.delete(request),
    }
  }

  #require(level: LoggingLevel | undefined): Promise<unknown> {
    if (level !== undefined && level !== this.#last) {
      this.#last = level
      this.#pending = this.#pending.then(() => this.#set(level)).catch(() => {})
    }
    return this.#pending
  }
}
