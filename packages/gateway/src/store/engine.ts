/** One row as an engine keeps it. */
export interface Stored {
  readonly bytes: Uint8Array
  readonly version: number
  /** Milliseconds since 1970; 0: never. */
  readonly expires: number
  readonly secret: boolean
}

export interface Range {
  /** Keys after this one. */
  readonly after?: string | undefined
  /** Keys before this one. */
  readonly before?: string | undefined
}

/** The tables that operations read and write. Everything that one operation writes is kept, or nothing of it. */
export interface Transaction {
  get(table: string, key: string): Stored | undefined
  put(table: string, key: string, row: Stored): void
  remove(table: string, key: string): void
  /** In the order of the keys. Nothing may be written while it is read. */
  range(table: string, range?: Range): Iterable<readonly [key: string, row: Stored]>
  /** Reads all tables in order, from a place on. */
  scan(after?: { table: string; key: string }): Iterable<readonly [table: string, key: string, row: Stored]>
}
