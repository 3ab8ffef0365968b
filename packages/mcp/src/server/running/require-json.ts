import { McpError } from '../../jsonrpc/index.ts'

/** Throws for what JSON cannot say, with the path to it. `JSON.stringify` would leave it out or change it without a word. */
export function requireJson(value: unknown, allowBigInt: boolean): void {
  // The path costs more than the look, and a result that can be written needs none.
  if (!isWritable(value, allowBigInt, MAX_DEPTH)) findProblem(value, allowBigInt, 'result', [])
}

/** Deeper values are looked at with care: they may contain themselves. */
const MAX_DEPTH = 64

/** Loops without closures, and no call for a string: large results are looked at in full. */
function isWritable(value: unknown, allowBigInt: boolean, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return !problemOf(value, allowBigInt)
  if (value === null) return true
  if (depth === 0) return false
  if (Array.isArray(value)) {
    for (const item of value)
      if (typeof item !== 'string' && !isWritable(item, allowBigInt, depth - 1)) return false
    return true
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    if (typeof member !== 'string' && !isWritable(member, allowBigInt, depth - 1)) return false
  }
  return true
}

/** Throws with the path of what cannot be written. */
function findProblem(value: unknown, allowBigInt: boolean, path: string, seen: object[]): void {
  const problem = problemOf(value, allowBigInt)
  if (problem) throw invalid(path, `is ${problem}, which JSON cannot hold`)
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return
  if (seen.includes(value)) throw invalid(path, 'contains itself')
  seen.push(value)
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    findProblem(member, allowBigInt, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, seen)
  }
  seen.pop()
}

function invalid(path: string, what: string): McpError {
  return new McpError('invalid_output', `${path} ${what}`, { details: { path } })
}

function problemOf(value: unknown, allowBigInt: boolean): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    case 'bigint':
      return allowBigInt ? undefined : "a bigint (servers with numbers: 'exact' may send them)"
    case 'number':
      return Number.isFinite(value) ? undefined : String(value)
    case 'object':
      return value === null || Array.isArray(value) ? undefined : unwritable(value)
    default:
      return undefined
  }
}

function unwritable(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return undefined
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return `${value.constructor.name === 'Buffer' ? 'a Buffer' : 'bytes'} (image(), audio() and embeddedResource() take bytes)`
  }
  for (const kind of [Map, Set, Promise, RegExp, Error]) {
    if (value instanceof kind) return `a ${kind.name}`
  }
  // Headers, generators, streams and the like keep what they have where JSON does not look.
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  const isReadable = /^(Object|String|Number|Boolean)$/.test(tag) || 'toJSON' in value
  return isReadable || Object.keys(value).length > 0 ? undefined : `a ${tag}`
}
