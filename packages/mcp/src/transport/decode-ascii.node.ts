import { isAscii } from 'node:buffer'

/**
 * The text of a long line's pieces if all of it is ASCII; undefined otherwise. Decoding them as UTF-8 takes five
 * times as long, and putting the bytes together first takes memory that is used once.
 */
export function decodeAscii(pieces: readonly Uint8Array[]): string | undefined {
  if (!pieces.every((piece) => isAscii(piece))) return undefined
  return pieces.map(toLatin1).join('')
}

function toLatin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
