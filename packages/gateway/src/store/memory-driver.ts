import type { Driver, Hear } from './driver.ts'
import { MemoryEngine } from './memory-engine.ts'
import { runOperation, type Argument, type OperationName, type Result } from './operations/index.ts'
import { newestMessage, readNews } from './operations/messages.ts'
import { Tables } from './operations/tables.ts'

/** Ends with the process. */
export class MemoryDriver implements Driver {
  readonly kind = 'memory'
  readonly #engine = new MemoryEngine()
  readonly #maxBytes: number
  readonly #listeners = new Set<Hear>()
  #cursor = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async run<Name extends OperationName>(name: Name, argument: Argument<Name>): Promise<Result<Name>> {
    const tables = this.#tables()
    try {
      return runOperation(tables, name, argument) as Result<Name>
    } finally {
      tables.finish()
      if (name === 'publish') this.#tell(tables)
    }
  }

  async watch(hear: Hear): Promise<() => void> {
    if (this.#listeners.size === 0) this.#cursor = newestMessage(this.#tables())
    this.#listeners.add(hear)
    return () => this.#listeners.delete(hear)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
  }

  #tell(tables: Tables): void {
    if (this.#listeners.size === 0) return
    const { cursor, ...news } = readNews(tables, this.#cursor)
    this.#cursor = cursor
    // After the caller of `publish` goes on, as with every other driver.
    setImmediate(() => {
      for (const hear of this.#listeners) hear(news)
    })
  }

  #tables(): Tables {
    return new Tables(this.#engine, this.#maxBytes)
  }
}
