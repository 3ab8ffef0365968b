import { createRequire } from 'node:module'
import type { Range, Stored, Transaction } from '../engine.ts'
import { StoreError } from '../store-error.ts'

/** The parts of the library that are used. */
interface Database {
  get(key: Uint8Array): Uint8Array | undefined
  putSync(key: Uint8Array, value: Uint8Array): void
  removeSync(key: Uint8Array): void
  getRange(range: { start?: Uint8Array; end?: Uint8Array }): Iterable<{ key: Uint8Array; value: Uint8Array }>
  transactionSync<T>(run: () => T): T
  resetReadTxn(): void
  readerCheck(): void
  close(): Promise<void>
}

// The CommonJS form is one file, and loads in two thirds of the time.
const require = createRequire(import.meta.url)
const { open } = require('lmdb') as { open(options: object): Database }

/** Reads and writes the file. Any number of processes of one machine may have it open. */
export class LmdbEngine implements Transaction {
  readonly #database: Database

  constructor(path: string, mapSize: number) {
    this.#database = open({
      path,
      mapSize,
      encoding: 'binary',
      keyEncoding: 'binary',
      noSubdir: true,
      // A commit returns when it is on disk, as LMDB itself has it.
      overlappingSync: false,
    })
    // Processes that were killed keep old pages in use.
    this.#database.readerCheck()
  }

  /** Everything in one commit. What is thrown inside undoes all of it. */
  transact<T>(run: () => T): T {
    return this.#database.transactionSync(run)
  }

  /** The next read sees what other processes have written until then. */
  refresh(): void {
    this.#database.resetReadTxn()
  }

  get(table: string, key: string): Stored | undefined {
    const bytes = this.#database.get(toKey(table, key))
    return bytes && decodeRow(bytes)
  }

  put(table: string, key: string, row: Stored): void {
    this.#database.putSync(toKey(table, key), encodeRow(row))
  }

  remove(table: string, key: string): void {
    this.#database.removeSync(toKey(table, key))
  }

  *range(table: string, { after, before }: Range = {}): Generator<readonly [string, Stored]> {
    const start = after === undefined ? toKey(table, '') : toKey(table, `${after}\0`)
    const end = before === undefined ? Buffer.from(`${table}\x01`) : toKey(table, before)
    for (const { key, value } of this.#database.getRange({ start, end })) {
      yield [fromKey(key)[1], decodeRow(value)]
    }
  }

  *scan(after?: { table: string; key: string }): Generator<readonly [string, string, Stored]> {
    const options = after ? { start: toKey(after.table, `${after.key}\0`) } : {}
    for (const { key, value } of this.#database.getRange(options)) yield [...fromKey(key), decodeRow(value)]
  }

  checkReaders(): void {
    this.#database.readerCheck()
  }

  async close(): Promise<void> {
    await this.#database.close()
  }
}

function toKey(table: string, key: string): Buffer {
  return Buffer.from(`${table}\0${key}`)
}

function fromKey(key: Uint8Array): [table: string, key: string] {
  const text = Buffer.from(key).toString()
  const end = text.indexOf('\0')
  return [text.slice(0, end), text.slice(end + 1)]
}

/** The first byte of every row. Another number is another layout. */
const LAYOUT = 1
const SECRET = 1
const HEADER = 18

export function encodeRow({ bytes, version, expires, secret }: Stored): Buffer {
  const row = Buffer.allocUnsafe(HEADER + bytes.length)
  row[0] = LAYOUT
  row[1] = secret ? SECRET : 0
  row.writeDoubleLE(version, 2)
  row.writeDoubleLE(expires, 10)
  row.set(bytes, HEADER)
  return row
}

export function decodeRow(row: Uint8Array): Stored {
  if (row[0] !== LAYOUT || row.length < HEADER) {
    throw new StoreError('unusable', `The store has a row of layout ${row[0]}; this version knows ${LAYOUT}`)
  }
  const header = Buffer.from(row.buffer, row.byteOffset, HEADER)
  return {
    // Copies the bytes: those of LMDB may be a part of a large buffer, which would be sent to another thread as a
    // whole.
    bytes: new Uint8Array(row.subarray(HEADER)),
    version: header.readDoubleLE(2),
    expires: header.readDoubleLE(10),
    secret: row[1] === SECRET,
  }
}
