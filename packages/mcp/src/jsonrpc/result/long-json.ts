import { isJsonObject, type JsonObject, writeJson } from '../json.ts'
import { LateString } from './late-string.ts'

/** Texts of at least this many characters are written in slices. */
export const LONG_TEXT: number = 64 * 1024

/** A string that has yet to be escaped and put in quotation marks. */
export class LongString {
  readonly value: string

  constructor(value: string) {
    this.value = value
  }
}

/** Text that is JSON already, or a string that is not yet. */
export type JsonPiece = string | LongString

/** JSON in pieces whose long strings are escaped slice by slice, which is faster than `JSON.stringify`. */
export class LongJson {
  readonly pieces: readonly JsonPiece[]
  /** Characters, as many as are known before escaping. */
  readonly length: number

  constructor(pieces: readonly JsonPiece[]) {
    this.pieces = pieces
    this.length = pieces.reduce(
      (sum, piece) => sum + (typeof piece === 'string' ? piece : piece.value).length,
      0,
    )
  }
}

/** Whether a result has long text where MCP puts texts and files. */
export function hasLongText({ content, contents }: JsonObject): boolean {
  return hasLongItem(content) || hasLongItem(contents)
}

function hasLongItem(items: unknown): boolean {
  return Array.isArray(items) && items.some((item) => isLongItem(item) || isLongItem(item?.resource))
}

function isLongItem(item: unknown): boolean {
  return isJsonObject(item) && (isLong(item.text) || isLong(item.data) || isLong(item.blob))
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LONG_TEXT
}

/** Result, list, message, content, resource: no long text is looked for below. */
const DEPTH = 5

/** Writes a result like `JSON.stringify`, with its long and late texts left alone. Throws the same errors. */
export function toPieces(result: JsonObject): (JsonPiece | LateString)[] {
  const pieces: (JsonPiece | LateString)[] = []
  addValue(result, DEPTH, pieces)
  return pieces
}

/** Returns whether there was something to write: `undefined` and functions are nothing in JSON. */
function addValue(value: unknown, depth: number, pieces: (JsonPiece | LateString)[]): boolean {
  if (isLong(value) || value instanceof LateString) {
    pieces.push(value instanceof LateString ? value : new LongString(value))
    return true
  }
  if (depth > 0 && Array.isArray(value) && !('toJSON' in value)) {
    addList(value, depth - 1, pieces)
    return true
  }
  if (depth > 0 && isPlainObject(value)) {
    addObject(value, depth - 1, pieces)
    return true
  }
  const text = writeJson(value) as string | undefined
  if (text !== undefined) pieces.push(text)
  return text !== undefined
}

/** Objects of other classes may have a `toJSON` of their own. */
function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
}

function addList(list: unknown[], depth: number, pieces: (JsonPiece | LateString)[]): void {
  for (let index = 0; index < list.length; index++) {
    pieces.push(index === 0 ? '[' : ',')
    if (!addValue(list[index], depth, pieces)) pieces.push('null')
  }
  pieces.push(list.length === 0 ? '[]' : ']')
}

function addObject(object: JsonObject, depth: number, pieces: (JsonPiece | LateString)[]): void {
  let opening = '{'
  for (const [name, member] of Object.entries(object)) {
    const length = pieces.push(`${opening}${JSON.stringify(name)}:`)
    if (addValue(member, depth, pieces)) opening = ','
    else pieces.length = length - 1
  }
  pieces.push(opening === '{' ? '{}' : '}')
}
