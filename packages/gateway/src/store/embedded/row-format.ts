import type { Stored } from '../engine.ts'
import { StoreError } from '../store-error.ts'

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
    // A copy: what LMDB hands out may be a part of a large buffer, and all of that would travel to another thread.
    bytes: new Uint8Array(row.subarray(HEADER)),
    version: header.readDoubleLE(2),
    expires: header.readDoubleLE(10),
    secret: row[1] === SECRET,
  }
}
