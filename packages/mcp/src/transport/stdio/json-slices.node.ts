import { LongString, type LongJson } from '../../jsonrpc/index.ts'
import { createScannedMemory, type ScannedMemory } from './escape-scan.node.ts'

/** Characters that are encoded at a time: more than a pipe holds. While its reader is busy, the next are prepared. */
export const SLICE: number = 256 * 1024

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
  // UTF-8 takes at most three bytes for each unit of a string.
  readonly #memory: ScannedMemory | undefined = createScannedMemory(SLICE * 3)
  readonly #encoder: TextEncoder = new TextEncoder()

  /** The bytes are good until the next call. */
  encode({ text, isJson }: JsonSlice): Uint8Array {
    const plain = this.#memory && this.#encodePlain(text, isJson, this.#memory)
    return plain ?? this.#encoder.encode(isJson ? text : JSON.stringify(text).slice(1, -1))
  }

  /** Undefined when something has to be escaped. */
  #encodePlain(text: string, isJson: boolean, { bytes, isPlain }: ScannedMemory): Uint8Array | undefined {
    const { written } = this.#encoder.encodeInto(text, bytes)
    return isJson || (isWellFormed(text) && isPlain(written)) ? bytes.subarray(0, written) : undefined
  }
}

/** A half of a character without the other is an escape in JSON; UTF-8 has nothing for it. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}
