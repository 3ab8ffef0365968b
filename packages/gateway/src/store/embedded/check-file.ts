import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { StoreError } from '../store-error.ts'

const MAGIC = Buffer.from('dec0efbe', 'hex')
/** Where each of the two headers of a file has what is needed, in bytes, on machines of 64 bits. */
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

/** Zeros where the file ends. */
function readHeader(file: number, at: number): Buffer {
  const header = Buffer.alloc(AT.end)
  readSync(file, header, 0, AT.end, at)
  return header
}

function transactionOf(header: Buffer): bigint {
  return header.readBigUInt64LE(AT.transaction)
}
