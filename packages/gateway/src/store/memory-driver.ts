import type { Driver, Hear } from './driver.ts'
import { runOperation, type Argument, type OperationName, type Result } from './operations/index.ts'
import { newestMessage, readNews } from './operations/messages.ts'
import { Tables } from './operations/tables.ts'
import type { Range, Stored, Transaction } from './engine.ts'

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

interface Table {
  readonly rows: Map<string, Stored>
  /** The keys in order; undefined after a key was added or removed. */
  sorted: string[] | undefined
}

/** Rows in maps. An operation runs to its end before the next begins, so each is a transaction. */
export class MemoryEngine implements Transaction {
  readonly #tables = new Map<string, Table>()

  get(table: string, key: string): Stored | undefined {
    return this.#tables.get(table)?.rows.get(key)
  }

  put(name: string, key: string, row: Stored): void {
    const table = this.#tables.get(name) ?? { rows: new Map(), sorted: undefined }
    this.#tables.set(name, table)
    if (!table.rows.has(key)) table.sorted = undefined
    table.rows.set(key, row)
  }

  remove(name: string, key: string): void {
    const table = this.#tables.get(name)
    if (table?.rows.delete(key)) table.sorted = undefined
  }

  *range(name: string, { after, before }: Range = {}): Generator<readonly [string, Stored]> {
    const table = this.#tables.get(name)
    if (!table) return
    table.sorted ??= [...table.rows.keys()].sort()
    for (let index = indexAfter(table.sorted, after); index < table.sorted.length; index += 1) {
      const key = table.sorted[index]!
      if (before !== undefined && key >= before) return
      yield [key, table.rows.get(key)!]
    }
  }

  *scan(after?: { table: string; key: string }): Generator<readonly [string, string, Stored]> {
    for (const name of [...this.#tables.keys()].sort()) {
      if (after && name < after.table) continue
      const range = name === after?.table ? { after: after.key } : {}
      for (const [key, row] of this.range(name, range)) yield [name, key, row]
    }
  }
}

function indexAfter(sorted: readonly string[], after: string | undefined): number {
  if (after === undefined) return 0
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! <= after) low = middle + 1
    else high = middle
  }
  return low
}
