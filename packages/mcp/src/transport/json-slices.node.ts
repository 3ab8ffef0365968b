import { isAscii } from 'node:buffer'
import { LongString, type LongJson } from '../jsonrpc/index.ts'

/** Characters that are encoded at a time: twice what a pipe holds. While its reader is busy, the next are prepared. */
export const SLICE: number = 128 * 1024
const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

/** A part of a text: JSON already, or the inside of a string that is not. */
export interface JsonSlice {
  readonly text: string
  readonly isJson: boolean
}

/** The parts of a line of JSON, one after the other. */
export function* slicesOf({ pieces }: LongJson): Generator<JsonSlice, undefined> {
  let short = ''
  for (const piece of pieces) {
    if (piece instanceof LongString) {
      yield* cut(`${short}"`, true)
      yield* cut(piece.value, false)
      short = '"'
    } else if (piece.length < SLICE) {
      short += piece
    } else {
      yield* cut(short, true)
      yield* cut(piece, true)
      short = ''
    }
  }
  yield* cut(`${short}\n`, true)
  return undefined
}

/** Never cuts between the two halves of a character. */
function* cut(text: string, isJson: boolean): Generator<JsonSlice> {
  let from = 0
  while (from < text.length) {
    let to = Math.min(from + SLICE, text.length)
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1
    yield { text: text.slice(from, to), isJson }
    from = to
  }
}

/**
 * Encodes slices into memory that is used again and again: the system takes longer to hand out new pages than
 * the bytes take to be written into them.
 */
export class SliceEncoder {
  // UTF-8 takes at most three bytes for each unit of a string; the rest is for whole words at the end.
  readonly #bytes: Buffer = Buffer.allocUnsafeSlow(SLICE * 3 + 32)
  readonly #words: Int32Array = new Int32Array(this.#bytes.buffer)
  readonly #encoder: TextEncoder = new TextEncoder()

  /** The bytes are good until the next call. */
  encode({ text, isJson }: JsonSlice): Uint8Array {
    const { written } = this.#encoder.encodeInto(text, this.#bytes)
    if (isJson || (isWellFormed(text) && this.#isPlain(written))) return this.#bytes.subarray(0, written)
    return this.#encoder.encode(JSON.stringify(text).slice(1, -1))
  }

  /** Whether nothing has to be escaped: quotation marks, backslashes and control characters. */
  #isPlain(length: number): boolean {
    const bytes = this.#bytes.subarray(0, length)
    if (bytes.includes(QUOTE) || bytes.includes(BACKSLASH)) return false
    const count = Math.ceil(length / 32) * 8
    this.#bytes.fill(SPACE, length, count * 4)
    return isAscii(bytes) ? hasNoControl(this.#words, count) : hasNoControlBesides(this.#words, count)
  }
}

const HIGHEST_BITS = 0x80808080 | 0
const TO_HIGHEST_BIT = 0x60606060

/** For ASCII: adding brings every byte that is no control character to its highest bit, and none beyond it. */
function hasNoControl(words: Int32Array, count: number): boolean {
  const up = (at: number): number => (words[at] as number) + TO_HIGHEST_BIT
  for (let at = 0; at < count; at += 8) {
    const all =
      up(at) & up(at + 1) & up(at + 2) & up(at + 3) & up(at + 4) & up(at + 5) & up(at + 6) & up(at + 7)
    if ((all & HIGHEST_BITS) !== HIGHEST_BITS) return false
  }
  return true
}

/** For other bytes as well: subtracting a space from less borrows into a highest bit that was not set. */
function hasNoControlBesides(words: Int32Array, count: number): boolean {
  for (let at = 0; at < count; at++) {
    const word = words[at] as number
    if (((word - 0x20202020) & ~word & HIGHEST_BITS) !== 0) return false
  }
  return true
}

/** A half of a character without the other is an escape in JSON; UTF-8 has nothing for it. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}
