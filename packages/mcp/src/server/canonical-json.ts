import { INVALID_PARAMS, isJsonObject, ProtocolError, writeJson } from '../jsonrpc/index.ts'

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

/** A short fingerprint (FNV-1a, 64 bits in two halves). Not a secret: the state that holds it is sealed. */
export function fingerprint(text: string): string {
  let low = 0x811c9dc5
  let high = 0xcbf29ce4
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ (code + i), 0x01000193)
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36)
}
