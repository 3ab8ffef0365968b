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
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(SCAN, 'base64')))
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

/** `json-scan.wat`, assembled: sixteen bytes at a time take a fifth of what JavaScript takes (docs/adr/0010). */
export const SCAN: string =
  'AGFzbQEAAAABBgFgAX8BfwMCAQAFAwEAAAcUAgZtZW1vcnkCAAdpc1BsYWluAAAKYAFeAgF/BHtBf/0PIgIiAyEEA0AgAf0ABA' +
  'AiBSAC/XchAiAFQSL9D/1RIAP9dyEDIAVB3AD9D/1RIAT9dyEEIAFBEGoiASAASQ0ACyACQSD9D/0s/WMgA/1jcSAE/WNxCw=='
