import { endOfString } from './json-strings.ts'
import { outlineOfMessage, RefusedJson } from './refused-json.ts'

/** How many levels a foreign text may have. Real schemas have fewer; recursive functions have room for it. */
export const MAX_DEPTH = 512

/** How many values a foreign text may have: short text can become much memory. 20 MB of embeddings fit. */
export const MAX_VALUES = 1_000_000

const TOO_MANY = `the JSON has more than ${MAX_VALUES} values`

/** `JSON.parse` for foreign texts: throws `RefusedJson` (a `SyntaxError`) beyond the limits. */
export function parseJson(text: string): unknown {
  if (hasTooManyValues(text)) throw new RefusedJson(TOO_MANY, outlineOfMessage(text))
  const value: unknown = JSON.parse(text)
  if (couldBeDeep(text) && isTooDeep(value)) throw tooDeep(value)
  return value
}

export function tooDeep(value: unknown): RefusedJson {
  return new RefusedJson(`the JSON has more than ${MAX_DEPTH} levels of arrays and objects`, value)
}

/** Each level has a bracket that opens and one that closes. Few texts have so many: this spares the others a walk. */
function couldBeDeep(text: string): boolean {
  return text.length > 2 * MAX_DEPTH && afterSigns(text, '[{', MAX_DEPTH) < 0
}

/** Every value but the first stands behind one of these signs. Most texts have too few of them, in strings or not. */
function hasTooManyValues(text: string): boolean {
  return (
    text.length > 2 * MAX_VALUES &&
    afterSigns(text, ',[{', MAX_VALUES - 1) < 0 &&
    countValues(text) > MAX_VALUES
  )
}

/** How many of `left` remain after each sign has taken one; stops as soon as there are too many. */
function afterSigns(text: string, signs: string, left: number): number {
  let rest = left
  for (const sign of signs) {
    for (let at = text.indexOf(sign); at !== -1 && rest >= 0; at = text.indexOf(sign, at + 1)) rest--
  }
  return rest
}

const NEXT_SIGN = /[",[{]/g

function countValues(text: string): number {
  let count = 1
  NEXT_SIGN.lastIndex = 0
  for (let found = NEXT_SIGN.exec(text); found && count <= MAX_VALUES; found = NEXT_SIGN.exec(text)) {
    if (found[0] === '"') NEXT_SIGN.lastIndex = endOfString(text, found.index) + 1
    else count++
  }
  return count
}

/** Whether a value that was parsed elsewhere has more than `MAX_DEPTH` levels. */
export function isTooDeep(value: unknown): boolean {
  return isDeeper(value, MAX_DEPTH)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (isDeeper(value[index], levels - 1)) return true
    return false
  }
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true
  return false
}
