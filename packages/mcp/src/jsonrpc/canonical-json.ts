import { INVALID_PARAMS } from './error-codes.ts'
import { isJsonObject } from './message.ts'
import { ProtocolError } from './protocol-error.ts'
import { writeJson } from './write-json.ts'

/** Deeper values are refused instead of overflowing the stack: nobody types arguments like that. */
const MAX_DEPTH = 500

/** JSON with sorted keys: equal values give equal text, however a client wrote them. */
export function canonicalJson(value: unknown, depth: number = 0): string {
  if (depth > MAX_DEPTH) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: nested more than ${MAX_DEPTH} levels deep`)
  }
  if (Array.isArray(value))
    return `[${value.map((item) => canonicalJson(item ?? null, depth + 1)).join(',')}]`
  if (!isJsonObject(value)) return writeJson(value) ?? 'null'
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key], depth + 1)}`)
  return `{${members.join(',')}}`
}
