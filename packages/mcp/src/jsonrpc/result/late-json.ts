import type { JsonObject } from '../json.ts'
import { parseJson } from '../read-json.ts'
import { LongString, toPieces, type JsonPiece } from './long-json.ts'
import { LateString, type LateReader } from './late-string.ts'

/** The most that is put together in memory for peers that cannot be sent it piece by piece. */
const MAX_WHOLE = 64 * 1024 * 1024

/** A message with strings that are read while it is sent, so that no more than a slice of them is in memory. */
export class LateJson {
  /** Characters that are in memory already. */
  readonly length: number
  readonly #pieces: readonly (JsonPiece | LateString)[]
  readonly #slices: AsyncGenerator<string, undefined>
  readonly #onFailed: (thrown: unknown) => string
  #reader: LateReader | undefined
  #isClosed = false

  /** `onFailed` gets the error, and returns the message to send instead. */
  constructor(pieces: readonly (JsonPiece | LateString)[], onFailed: (thrown: unknown) => string) {
    this.length = pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 0), 0)
    this.#onFailed = onFailed
    this.#pieces = pieces
    this.#slices = this.#read(pieces)
  }

  /**
   * Reads the beginning. When that fails, returns the message to send instead; nothing of this message is sent then.
   */
  async open(): Promise<string | undefined> {
    try {
      await this.#slices.next()
      return undefined
    } catch (thrown) {
      return this.failed(thrown)
    }
  }

  /** The next piece; undefined at the end. Call `open` first. */
  async next(): Promise<string | undefined> {
    return this.#isClosed ? undefined : (await this.#slices.next()).value
  }

  /** The reader does not want the rest. */
  close(): void {
    this.#isClosed = true
    this.#reader?.close()
    discardAll(this.#pieces)
  }

  /** The message to send when `next` has thrown. */
  failed(thrown: unknown): string {
    this.close()
    return this.#onFailed(thrown)
  }

  /** The whole message, or the message that takes its place. */
  async whole(): Promise<string> {
    const problem = await this.open()
    if (problem !== undefined) return problem
    try {
      const slices: string[] = []
      let length = 0
      for (let slice = await this.next(); slice !== undefined; slice = await this.next()) {
        length += slice.length
        if (length > MAX_WHOLE) throw new RangeError(`More than ${MAX_WHOLE} characters in one message`)
        slices.push(slice)
      }
      return slices.join('')
    } catch (thrown) {
      return this.failed(thrown)
    }
  }

  /** The first value stands for the beginning, which is kept until it is asked for. */
  async *#read(pieces: readonly (JsonPiece | LateString)[]): AsyncGenerator<string, undefined> {
    let before = ''
    let isOpen = false
    for (const piece of pieces) {
      if (!(piece instanceof LateString)) {
        before += piece instanceof LongString ? JSON.stringify(piece.value) : piece
        continue
      }
      this.#reader = piece.read()
      let slice = await this.#reader.next()
      if (!isOpen) yield ''
      isOpen = true
      yield `${before}"`
      for (; slice !== undefined; slice = await this.#reader.next()) yield slice
      before = '"'
    }
    if (!isOpen) yield ''
    yield before
    return undefined
  }
}

/** For a result that is not sent. */
export function discardLate(result: JsonObject): void {
  try {
    discardAll(toPieces(result))
  } catch {
    // A result that cannot be written has no late strings to read.
  }
}

function discardAll(pieces: readonly (JsonPiece | LateString)[]): void {
  for (const piece of pieces) if (piece instanceof LateString) piece.discard()
}

/** The result with all late texts read, so that it can be kept. Rejects with the error of reading. */
export async function withoutLate(result: JsonObject): Promise<JsonObject> {
  const pieces = toPieces(result)
  if (!pieces.some((piece) => piece instanceof LateString)) return result
  const message = new LateJson(pieces, (thrown) => {
    throw thrown
  })
  return parseJson(await message.whole()) as JsonObject
}
