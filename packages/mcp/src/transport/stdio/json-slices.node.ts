import { LongString, type LongJson } from '../../jsonrpc/index.ts'

/** Characters that are encoded at a time: more than a pipe holds. While its reader is busy, the next are prepared. */
export const SLICE: number = 256 * 1024

export interface JsonSlice {
  readonly text: string
  readonly isJson: boolean
}

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

/** Encodes slices into memory that is reused: new pages cost more than writing the bytes. */
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

const PAGE = 64 * 1024
const WIDTH = 16
const SPACE = 0x20

interface ScannedMemory {
  readonly bytes: Uint8Array
  /** Whether JSON escapes nothing in the first `length` bytes of UTF-8; may change those right behind them. */
  isPlain(length: number): boolean
}

/** Undefined where there is no WebAssembly, as under `--jitless`, or no room in the address space for its memory. */
function createScannedMemory(size: number): ScannedMemory | undefined {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(MODULE))
    const { memory, isPlain } = exports as { memory: WebAssembly.Memory; isPlain(end: number): number }
    memory.grow(Math.ceil(size / PAGE))
    const bytes = new Uint8Array(memory.buffer)
    return {
      bytes,
      isPlain(length) {
        const end = Math.ceil(length / WIDTH) * WIDTH
        bytes.fill(SPACE, length, end)
        return length === 0 || isPlain(end) === 1
      },
    }
  } catch {
    return undefined
  }
}

/**
 * `isPlain(end)`, in WebAssembly: sixteen bytes at a time, where JavaScript has four and needs five times as long,
 * which is twice as long as encoding a text takes. `low` becomes the least of all bytes. Those of `quote` and
 * `backslash` become 0 when there was one, by XOR. Bytes of characters beyond ASCII are never less than a space.
 */
// biome-ignore format: a line for each step
const MODULE: Uint8Array<ArrayBuffer> = Uint8Array.of(
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // "\0asm", version 1
  0x01, 0x06, 0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f, // types: (i32) -> i32
  0x03, 0x02, 0x01, 0x00,                         // functions: one of that type
  0x05, 0x03, 0x01, 0x00, 0x00,                   // memories: one, empty
  0x07, 0x14, 0x02,                               // exports: two
  0x06, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 0x02, 0x00,       // "memory"
  0x07, 0x69, 0x73, 0x50, 0x6c, 0x61, 0x69, 0x6e, 0x00, 0x00, // "isPlain"
  0x0a, 0x60, 0x01, 0x5e,                         // code: one function, its size
  0x02, 0x01, 0x7f, 0x04, 0x7b,                   // locals: 1 at: i32; 2 low, 3 quote, 4 backslash, 5 bytes: v128
  0x41, 0x7f, 0xfd, 0x0f, 0x22, 0x02, 0x22, 0x03, 0x21, 0x04, // low = quote = backslash = splat(255)
  0x03, 0x40,                                     // do
  0x20, 0x01, 0xfd, 0x00, 0x04, 0x00, 0x22, 0x05, //   bytes = load(at)
  0x20, 0x02, 0xfd, 0x77, 0x21, 0x02,             //   low = min(bytes, low)
  0x20, 0x05, 0x41, 0x22, 0xfd, 0x0f, 0xfd, 0x51, //   bytes ^ splat('"')
  0x20, 0x03, 0xfd, 0x77, 0x21, 0x03,             //   quote = min(that, quote)
  0x20, 0x05, 0x41, 0xdc, 0x00, 0xfd, 0x0f, 0xfd, 0x51, // bytes ^ splat('\\')
  0x20, 0x04, 0xfd, 0x77, 0x21, 0x04,             //   backslash = min(that, backslash)
  0x20, 0x01, 0x41, 0x10, 0x6a, 0x22, 0x01,       //   at += 16
  0x20, 0x00, 0x49, 0x0d, 0x00, 0x0b,             // while at < end
  0x20, 0x02, 0x41, 0x20, 0xfd, 0x0f, 0xfd, 0x2c, 0xfd, 0x63, // all of low >= splat(' ')
  0x20, 0x03, 0xfd, 0x63, 0x71,                   // and all of quote
  0x20, 0x04, 0xfd, 0x63, 0x71,                   // and all of backslash
  0x0b,                                           // are not 0
)
