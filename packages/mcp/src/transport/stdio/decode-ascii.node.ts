import { isAscii } from 'node:buffer'

/** The text of a long line if all of it is ASCII; undefined otherwise. Decoding it as UTF-8 takes twice as long. */
export function decodeAscii(line: Uint8Array): string | undefined {
  if (!isAscii(line)) return undefined
  return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('latin1')
}
