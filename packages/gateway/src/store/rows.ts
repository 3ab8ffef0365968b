import type { Driver } from './driver.ts'
import type { Stored } from './engine.ts'
import type { PutRow } from './operations/rows.ts'
import { StoreError } from './store-error.ts'
import type { PutOptions, Row, Rows, RowsOptions, ScannedRow, Sealing } from './store.ts'

const MAX_KEY_BYTES = 1024
const NAME = /^[a-z][a-z-]{0,39}$/
/** Half surrogate pairs cannot be written as UTF-8, so two keys could become one. */
const LONE_SURROGATE = /\p{Surrogate}/u
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface RowsContext {
  readonly driver: Driver
  readonly sealing: Sealing | undefined
  /** The store is not closed before such a write has ended. */
  track<T>(write: Promise<T>): Promise<T>
}

export function createRows({ driver, sealing, track }: RowsContext, options: RowsOptions): Rows {
  const { name: table, secret = false, maxRows = 10_000, maxValueBytes = 16 * 1024 * 1024 } = options
  if (!NAME.test(table)) throw new TypeError(`"${table}" cannot be the name of rows`)
  if (secret && !sealing && driver.kind !== 'memory') throw new TypeError(`${table} needs a key`)
  const toRow = async (key: string, row: Stored): Promise<Row> => ({
    key,
    value: await revealValue(sealing, { table, key, ...row }),
    version: row.version,
    expires: row.expires || undefined,
  })
  const toPut = async (key: string, value: string, { ttl, lease }: PutOptions = {}): Promise<PutRow> => {
    checkKey(key)
    // Rows in memory are not encrypted.
    const isSealed = secret && sealing !== undefined
    const bytes = encoder.encode(isSealed ? await sealing.seal(value, bindingOf(table, key)) : value)
    if (bytes.length > maxValueBytes) {
      const message = `A value of ${table} has ${maxValueBytes} bytes at most, this one has ${bytes.length}`
      throw new StoreError('too_large', message)
    }
    return { table, key, bytes, secret: isSealed, maxRows, ttl, lease }
  }
  return {
    async get(key) {
      const row = await driver.run('get', { table, key: checkKey(key) })
      return row && toRow(key, row)
    },
    put: (key, value, more) => track(toPut(key, value, more).then((put) => driver.run('put', put))),
    swap: (key, version, value, more) =>
      track(toPut(key, value, more).then((put) => driver.run('swap', { ...put, version }))),
    async take(key) {
      const row = await driver.run('take', { table, key: checkKey(key) })
      return row && toRow(key, row)
    },
    remove: async (key) => (await driver.run('take', { table, key: checkKey(key) })) !== undefined,
    async list({ prefix = '', after, limit = 1000 } = {}) {
      const rows = await driver.run('list', { table, prefix, after, limit })
      return Promise.all(rows.map(([key, row]) => toRow(key, row)))
    },
  }
}

export async function revealValue(
  sealing: Sealing | undefined,
  { table, key, bytes, secret }: Pick<ScannedRow, 'table' | 'key' | 'bytes' | 'secret'>,
): Promise<string> {
  const text = decoder.decode(bytes)
  if (!secret) return text
  const opened = await sealing?.open(text, bindingOf(table, key))
  if (typeof opened === 'string') return opened
  throw new StoreError('unreadable', `No key opens "${key}" of ${table}, or it was damaged`)
}

export function checkKey(key: string): string {
  if (key === '' || LONE_SURROGATE.test(key)) throw new TypeError('A key is a text of at least one character')
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key
  throw new StoreError('too_large', `A key has ${MAX_KEY_BYTES} bytes at most`)
}

function bindingOf(table: string, key: string): string {
  return `store\0${table}\0${key}`
}
