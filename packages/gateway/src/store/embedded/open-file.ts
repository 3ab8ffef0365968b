import { mkdirSync, statfsSync, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Heard } from '../driver.ts'
import { onlyReads, runOperation, type OperationName } from '../operations/index.ts'
import { newestMessage, readNews } from '../operations/messages.ts'
import { Tables } from '../operations/tables.ts'
import { StoreError } from '../store-error.ts'
import { LmdbEngine } from './lmdb-engine.ts'

/** Half of the 50 ms that a message may take; the rest is for the commit. */
const POLL_INTERVAL = 20
/** Less than this is no room to write in. */
const LEAST_ROOM = 1024 * 1024
/** File too large, no space, LMDB's own map is full, and what Windows says. */
const NO_ROOM = [27, 28, -30792, 112]
const INPUT_OUTPUT = 5

export interface Operation {
  readonly name: OperationName
  readonly argument: unknown
  settle(outcome: { result: unknown } | { error: StoreError }): void
}

/** One file, as the thread has it open. */
export class OpenFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #engine: LmdbEngine
  #polling: NodeJS.Timeout | undefined
  #cursor = 0
  #sequence = 0
  #hear: (news: Heard) => void = () => {}

  constructor(path: string, maxBytes: number) {
    this.#path = path
    this.#maxBytes = maxBytes
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      checkFile(path)
      // Pages that are half full take twice the room; the file grows only as it is needed.
      this.#engine = new LmdbEngine(path, 2 * maxBytes + 64 * 1024 * 1024)
      // Refuses what a newer version has written.
      void this.#tables().meta
    } catch (error) {
      throw error instanceof StoreError
        ? error
        : new StoreError('unusable', `${path} cannot be used: ${wordsOf(error)}`)
    }
  }

  /**
   * Runs operations in one commit. When that fails, they run one by one, so that no operation fails because of another.
   */
  run(operations: readonly Operation[]): void {
    this.#engine.refresh()
    const isReading = operations.every(({ name }) => onlyReads(name))
    try {
      const settle = isReading
        ? this.#attemptAll(operations)
        : this.#engine.transact(() => this.#attemptAll(operations))
      for (const one of settle) one()
    } catch (thrown) {
      if (operations.length > 1) for (const operation of operations) this.run([operation])
      else operations[0]!.settle({ error: this.#toError(thrown) })
    }
    if (operations.some(({ name }) => name === 'publish')) this.#poll()
  }

  #attemptAll(operations: readonly Operation[]): (() => void)[] {
    const tables = this.#tables()
    const settle = operations.map(({ name, argument, settle }) => {
      try {
        const result = runOperation(tables, name, argument)
        return () => settle({ result })
      } catch (error) {
        // These are thrown before anything is written; anything else undoes the commit.
        if (!(error instanceof StoreError)) throw error
        return () => settle({ error })
      }
    })
    tables.finish()
    return settle
  }

  watch(hear: (news: Heard) => void): void {
    this.#engine.refresh()
    this.#hear = hear
    this.#cursor = this.#sequence = newestMessage(this.#tables())
    this.#polling ??= setInterval(() => this.#poll(), POLL_INTERVAL)
  }

  unwatch(): void {
    clearInterval(this.#polling)
    this.#polling = undefined
  }

  #poll(): void {
    if (this.#polling === undefined) return
    try {
      this.#engine.refresh()
      const tables = this.#tables()
      if (tables.meta.sequence === this.#sequence) return
      this.#sequence = tables.meta.sequence
      const { cursor, ...news } = readNews(tables, this.#cursor)
      this.#cursor = this.#sequence
      if (news.messages.length > 0 || news.missed) this.#hear(news)
    } catch {
      // The next operation fails in the same way, and its caller gets the error.
    }
  }

  checkReaders(): void {
    this.#engine.checkReaders()
  }

  async close(): Promise<void> {
    this.unwatch()
    await this.#engine.close()
  }

  #tables(): Tables {
    return new Tables(this.#engine, this.#maxBytes)
  }

  /** LMDB calls a write that was cut short an input/output error. Whether the disk is full tells what it was. */
  #toError(thrown: unknown): StoreError {
    if (thrown instanceof StoreError) return thrown
    const { code } = thrown as { code?: number }
    if (NO_ROOM.includes(code ?? 0) || (code === INPUT_OUTPUT && this.#isDiskFull())) {
      return new StoreError('full', `Nothing was written: the disk of ${this.#path} is full`)
    }
    return new StoreError('failed', `Nothing was written to ${this.#path}: ${wordsOf(thrown)}`)
  }

  #isDiskFull(): boolean {
    const { bavail, bsize } = statfsSync(dirname(this.#path))
    return bavail * bsize < LEAST_ROOM
  }
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

const MAGIC = Buffer.from('dec0efbe', 'hex')
/** The offsets in bytes of the fields of the two headers of a file, on machines of 64 bits. */
const AT = { magic: 24, pageSize: 48, lastPage: 144, transaction: 152, end: 160 }

/**
 * Makes the file when it is missing, for its owner alone, and refuses one that is something else or was cut off. LMDB
 * maps it into memory: to read what is not there would kill the process.
 */
export function checkFile(path: string): void {
  for (const name of [path, `${path}-lock`]) {
    // Opening a pipe would wait for ever.
    if (statSync(name, { throwIfNoEntry: false })?.isFile() === false) {
      throw new StoreError('unusable', `${name} is not a regular file`)
    }
  }
  closeSync(openSync(`${path}-lock`, 'a', 0o600))
  const file = openSync(path, 'a+', 0o600)
  try {
    if (fstatSync(file).size === 0) return
    const first = readHeader(file, 0)
    const at = first.indexOf(MAGIC)
    if (at < 0) throw new StoreError('unusable', `${path} is not a store, or is damaged`)
    if (at !== AT.magic) return
    const pageSize = first.readUInt32LE(AT.pageSize)
    const second = readHeader(file, pageSize)
    const newest = transactionOf(second) > transactionOf(first) ? second : first
    const needed = (Number(newest.readBigUInt64LE(AT.lastPage)) + 1) * pageSize
    // After the headers: others may be writing, and they write the headers last.
    const { size } = fstatSync(file)
    if (size < needed) {
      throw new StoreError('unusable', `${path} was cut off: ${size} bytes of ${needed} are there`)
    }
  } finally {
    closeSync(file)
  }
}

/** Returns zeros beyond the end of the file. */
function readHeader(file: number, at: number): Buffer {
  const header = Buffer.alloc(AT.end)
  readSync(file, header, 0, AT.end, at)
  return header
}

function transactionOf(header: Buffer): bigint {
  return header.readBigUInt64LE(AT.transaction)
}
