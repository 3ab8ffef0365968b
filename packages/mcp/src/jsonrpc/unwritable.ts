import { JsonNumber } from './json.ts'
import { McpError } from './mcp-error.ts'
import { LateString } from './result/late-string.ts'

interface Message {
  method?: string
  params?: unknown
  result?: unknown
}

/** Why one of our messages cannot be written. */
export function unwritableMessage({ method, params, result }: Message, cause: unknown): McpError {
  const found = findUnwritable(params ?? result)
  const where = found ? `${found.path} ${found.problem}` : String((cause as Error).message)
  const details = { ...(found && { path: found.path }) }
  if (method === undefined) {
    const text = `The answer cannot be written as JSON: ${where}`
    return new McpError('invalid_answer', text, { cause, details })
  }
  const text = `The arguments of ${method} cannot be written as JSON: ${where}`
  return new McpError('invalid_argument', text, { cause, details: { method, ...details } })
}

export interface Unwritable {
  readonly path: string
  /** The fault, to be read after the path: `is a Map, which JSON cannot hold`. */
  readonly problem: string
  /** The error that a getter threw. */
  readonly cause?: unknown
}

/** Peers refuse more than 512 levels, and a message adds some. */
const DEEPEST = 500
const LONGEST_PATH = 300

/**
 * The first value that JSON cannot hold. `JSON.stringify` would leave it out, change it or throw without saying where.
 */
export function findUnwritable(value: unknown, path = '', allowBigInt = false): Unwritable | undefined {
  return look(value, { path, allowBigInt, above: [] })
}

interface Place {
  readonly path: string
  readonly allowBigInt: boolean
  readonly above: readonly object[]
}

function look(value: unknown, place: Place): Unwritable | undefined {
  const problem = problemOf(value, place.allowBigInt)
  if (problem) return { path: place.path, problem: `is ${problem}, which JSON cannot hold` }
  if (typeof value !== 'object' || value === null) return undefined
  if (value instanceof LateString || value instanceof JsonNumber) return undefined
  if (place.above.includes(value)) return { path: place.path, problem: 'contains itself' }
  if (place.above.length === DEEPEST) {
    return { path: place.path.slice(0, LONGEST_PATH), problem: `… nests more than ${DEEPEST} levels` }
  }
  const above = [...place.above, value]
  let path = place.path
  try {
    const written = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON('') : value
    if (written !== value && typeof written !== 'object') return look(written, { ...place, above })
    const inside = problemOf(written, place.allowBigInt)
    if (inside) return { path, problem: `is ${inside}, which JSON cannot hold` }
    for (const key in written) {
      path = pathOf(place.path, key, Array.isArray(written))
      const found = look(written[key], { ...place, path, above })
      if (found) return found
    }
    return undefined
  } catch (cause) {
    return { path, problem: `cannot be read: ${cause instanceof Error ? cause.message : cause}`, cause }
  }
}

function pathOf(path: string, key: string, isItem: boolean): string {
  if (isItem) return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}

/** Describes a value that JSON cannot hold. */
export function problemOf(value: unknown, allowBigInt: boolean): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    case 'bigint':
      return allowBigInt ? undefined : "a bigint (numbers: 'exact' allows them)"
    case 'number':
      return Number.isFinite(value) ? undefined : String(value)
    case 'object':
      return value === null || Array.isArray(value) ? undefined : kindOf(value)
    default:
      return undefined
  }
}

function kindOf(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return undefined
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return `${value.constructor.name === 'Buffer' ? 'a Buffer' : 'bytes'} (image(), audio() and embeddedResource() take bytes)`
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : undefined
  for (const kind of [Map, Set, Promise, RegExp, Error]) {
    if (value instanceof kind) return `a ${kind.name}`
  }
  // Headers, generators and streams have their content in places that JSON does not read.
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  const isReadable = /^(Object|String|Number|Boolean)$/.test(tag) || 'toJSON' in value
  return isReadable || Object.keys(value).length > 0 ? undefined : `a ${tag}`
}
