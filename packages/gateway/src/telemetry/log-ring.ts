export interface LogEntry {
  readonly seq: number
  readonly at: number
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  /** The target that it is about. */
  readonly target: string | undefined
  /** Further facts, as they stand in the log. */
  readonly detail: string
}

const MAX_ENTRIES = 500
/** A target that fails every few seconds must not push what is known of others out. */
const MAX_OF_TARGET = 100

/** The last lines of the log, for people who come after something happened. Which level is printed does not matter. */
export class LogRing {
  readonly #entries: LogEntry[] = []
  #next = 1
  onAdded: ((entry: LogEntry) => void) | undefined

  add(entry: Omit<LogEntry, 'seq' | 'at'>): void {
    const added = { seq: this.#next++, at: Date.now(), ...entry }
    this.#entries.push(added)
    this.#limit(added.target)
    if (this.#entries.length > MAX_ENTRIES * 1.25) this.#entries.splice(0, this.#entries.length - MAX_ENTRIES)
    this.onAdded?.(added)
  }

  #limit(target: string | undefined): void {
    if (target === undefined) return
    const own = this.#entries.filter((entry) => entry.target === target)
    if (own.length > MAX_OF_TARGET) this.#entries.splice(this.#entries.indexOf(own[0]!), 1)
  }

  /** Newest first. */
  list(target?: string, limit: number = MAX_ENTRIES): LogEntry[] {
    const wanted = this.#entries.filter((entry) => target === undefined || entry.target === target)
    return wanted.slice(-limit).reverse()
  }
}
