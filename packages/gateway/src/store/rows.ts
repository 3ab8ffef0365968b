import type { Driver } from './driver.ts'
import type { Stored } from './engine.ts'
import type { KeyRing } from './key-ring.ts'
import type { PutRow } from './operations/rows.ts'
import { StoreError } from './store-error.ts'
import type { PutOptions, Row, Rows, RowsOptions, ScannedRow } from './store.ts'

const MAX_KEY_BYTES = 1024
const NAME = /^[a-z][a-z-]{0,39}$/
/** Cannot be written as UTF-8, so two keys could become one. */
const LONE_SURROGATE = /\p{Surrogate}/u
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function createRows(driver: Driver, keys: KeyRing | undefined, options: RowsOptions): Rows {
  const { name: table, secret = false, maxRows = 10_000, maxValueBytes = 16 * 1024 * 1024 } = options
  if (!NAME.test(table)) throw new TypeError(`"${table}" cannot be the name of rows`)
  // What stays in memory needs no lock.
  const ring = secret ? keys : undefined
  const toRow = (key: string, { bytes, version, expires }: Stored): Row => ({
    key,
    value: revealValue(keys, { table, key, bytes, secret: ring !== undefined }),
    version,
    expires: expires || undefined,
  })
  const toPut = (key: string, value: string, { ttl, lease }: PutOptions = {}): PutRow => {
    checkKey(key)
    const bytes = ring ? ring.seal(value, placeOf(table, key)) : encoder.encode(value)
    if (bytes.length > maxValueBytes) {
      const message = `A value of ${table} has ${maxValueBytes} bytes at most, this one has ${bytes.length}`
      throw new StoreError('too_large', message)
    }
    return { table, key, bytes, secret: ring !== undefined, maxRows, ttl, lease }
  }
  return {
    async get(key) {
      const row = await driver.run('get', { table, key: checkKey(key) })
      return row && toRow(key, row)
    },
    put: async (key, value, more) => driver.run('put', toPut(key, value, more)),
    swap: async (key, version, value, more) => driver.run('swap', { ...toPut(key, value, more), version }),
    async take(key) {
      const row = await driver.run('take', { table, key: checkKey(key) })
      return row && toRow(key, row)
    },
    remove: async (key) => (await driver.run('take', { table, key: checkKey(key) })) !== undefined,
    async list({ prefix = '', after, limit = 1000 } = {}) {
      const rows = await driver.run('list', { table, prefix, after, limit })
      return rows.map(([key, row]) => toRow(key, row))
    },
  }
}

export function revealValue(
  keys: KeyRing | undefined,
  { table, key, bytes, secret }: Pick<ScannedRow, 'table' | 'key' | 'bytes' | 'secret'>,
): string {
  return secret && keys ? keys.open(bytes, placeOf(table, key)) : decoder.decode(bytes)
}

export function checkKey(key: string): string {
  if (key === '' || LONE_SURROGATE.test(key)) throw new TypeError('A key is a text of at least one character')
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key
  throw new StoreError('too_large', `A key has ${MAX_KEY_BYTES} bytes at most`)
}

function placeOf(table: string, key: string): string {
  return `${table}\0${key}`
}
