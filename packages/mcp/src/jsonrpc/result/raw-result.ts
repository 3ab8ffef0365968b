import { decodePieces, ResultBody } from '../message.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { parseJson, type ReadJson } from '../read-json.ts'

const HEAD = /^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}),"result":(?=\{)/
const HEAD_BYTES = 64
const QUOTE = 0x22
const BACKSLASH = 0x5c
const CLOSE_BRACE = 0x7d
/** Strings of this many bytes are left out of an outline. */
const LONG_STRING = 16 * 1024
/** A text with more strings, or with more bytes outside of long strings, is parsed as a whole. */
const MAX_STRINGS = 4_000
const MAX_OUTLINE = 256 * 1024

/** The id of a response that is written the usual way, by the beginning of its bytes. */
export function rawResultId(line: readonly Uint8Array[]): number | undefined {
  const id = headOf(line)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** A result whose long strings are passed on as bytes. The rest was read, so it is a valid JSON value. */
class RawResult extends ResultBody {
  readonly outline: JsonObject
  readonly length: number
  readonly #pieces: readonly Uint8Array[]
  readonly #read: ReadJson
  #result: JsonObject | undefined

  constructor(id: number, outline: JsonObject, pieces: readonly Uint8Array[], read: ReadJson = parseJson) {
    super(id)
    this.outline = outline
    this.#pieces = pieces
    this.#read = read
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  }

  get result(): JsonObject {
    this.#result ??= this.#read(this.text()) as JsonObject
    return this.#result
  }

  text(): string {
    return decodePieces(this.#pieces, new TextDecoder('utf-8', { ignoreBOM: true }))
  }

  override bytes(): readonly Uint8Array[] {
    return this.#pieces
  }
}

/** Reads a response that came in pieces; undefined when the whole text has to be parsed. */
export function readRawResult(line: readonly Uint8Array[], read?: ReadJson): ResultBody | undefined {
  const head = headOf(line)
  if (!head) return undefined
  const pieces = between(line, head[0].length)
  const outline = pieces && outlineOf(pieces)
  return outline && new RawResult(Number(head[1]), outline, pieces, read)
}

/** Some servers write the beginning by itself, so it may lie in several pieces. */
function headOf(line: readonly Uint8Array[]): RegExpExecArray | null {
  let text = ''
  for (const piece of line) {
    text += String.fromCharCode(...piece.subarray(0, HEAD_BYTES - text.length))
    if (text.length >= HEAD_BYTES) break
  }
  return HEAD.exec(text)
}

/** The bytes between the head and the last brace. */
function between(line: readonly Uint8Array[], headLength: number): Uint8Array[] | undefined {
  const pieces = line.filter((piece) => piece.length > 0)
  const last = pieces.at(-1)
  if (!last || last.at(-1) !== CLOSE_BRACE) return undefined
  pieces[pieces.length - 1] = last.subarray(0, -1)
  let left = headLength
  return pieces.flatMap((piece) => {
    const own = piece.subarray(Math.min(left, piece.length))
    left -= piece.length - own.length
    return own.length > 0 ? [own] : []
  })
}

/**
 * The object without the insides of its long strings; undefined when the text is not an object, or has too much besides
 * long strings.
 */
function outlineOf(pieces: readonly Uint8Array[]): JsonObject | undefined {
  const outline = new Outline()
  try {
    for (const piece of pieces) if (!outline.add(piece)) return undefined
    const text = outline.text()
    const value: unknown = text === undefined ? undefined : parseJson(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    // The bytes are not UTF-8, or the text is not JSON.
    return undefined
  }
}

/** Goes from quotation mark to quotation mark, whatever piece they are in. */
class Outline {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #text = ''
  #strings = 0
  #open: { parts: Uint8Array[]; length: number } | undefined
  /** Backslashes at the end of the last piece: an odd number of them escapes what comes next. */
  #backslashes = 0

  /** Returns false when the text has too much besides long strings. */
  add(piece: Uint8Array): boolean {
    let at = 0
    while (at < piece.length) {
      const next = this.#open ? this.#inside(piece, at, this.#open) : this.#outside(piece, at)
      if (this.#strings > MAX_STRINGS || this.#text.length > MAX_OUTLINE) return false
      at = next
    }
    return true
  }

  /** Undefined when a string has not ended. */
  text(): string | undefined {
    return this.#open ? undefined : this.#text
  }

  /** Up to the beginning of the next string. */
  #outside(piece: Uint8Array, from: number): number {
    const found = piece.indexOf(QUOTE, from)
    const end = found === -1 ? piece.length : found
    // Outside of strings, JSON has only numbers, names and punctuation. The parser refuses anything else.
    for (let at = from; at < end && this.#text.length <= MAX_OUTLINE; at++) {
      this.#text += String.fromCharCode(piece[at] as number)
    }
    if (found === -1) return piece.length
    this.#open = { parts: [], length: 0 }
    this.#backslashes = 0
    return found + 1
  }

  /** Up to the next quotation mark, which ends the string unless it is escaped. */
  #inside(piece: Uint8Array, from: number, open: { parts: Uint8Array[]; length: number }): number {
    const found = piece.indexOf(QUOTE, from)
    const end = found === -1 ? piece.length : found
    this.#backslashes = this.#backslashesBefore(piece, from, end)
    const stop = found === -1 ? end : found + 1
    const isOver = found !== -1 && this.#backslashes % 2 === 0
    this.#keep(open, piece.subarray(from, isOver ? end : stop))
    if (isOver) this.#close(open)
    if (found !== -1) this.#backslashes = 0
    return stop
  }

  #backslashesBefore(piece: Uint8Array, from: number, end: number): number {
    let at = end
    while (at > from && piece[at - 1] === BACKSLASH) at--
    return end - at + (at === from ? this.#backslashes : 0)
  }

  #keep(open: { parts: Uint8Array[]; length: number }, part: Uint8Array): void {
    open.length += part.length
    if (open.length < LONG_STRING) open.parts.push(part)
    else open.parts.length = 0
  }

  #close({ parts, length }: { parts: Uint8Array[]; length: number }): void {
    this.#strings++
    this.#open = undefined
    this.#text += length < LONG_STRING ? `"${decodePieces(parts, this.#decoder)}"` : '""'
  }
}
