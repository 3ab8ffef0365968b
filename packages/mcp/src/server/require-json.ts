import { McpError } from '../jsonrpc/index.ts'

/** Throws for what JSON cannot say, with the path to it. `JSON.stringify` would leave it out or change it without a word. */
export function requireJson(
  value: unknown,
  allowBigInt: boolean,
  path = 'result',
  seen: object[] = [],
): void {
  const problem = problemOf(value, allowBigInt)
  if (problem !== undefined) {
    throw new McpError('invalid_output', `${path} is ${problem}, which JSON cannot hold`, {
      details: { path },
    })
  }
  if (typeof value !== 'object' || value === null) return
  if ('toJSON' in value && typeof value.toJSON === 'function') return
  if (seen.includes(value))
    throw new McpError('invalid_output', `${path} contains itself`, { details: { path } })
  seen.push(value)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (!isPlain(value[i])) requireJson(value[i], allowBigInt, `${path}[${i}]`, seen)
    }
  } else {
    for (const key in value) {
      const member = (value as Record<string, unknown>)[key]
      if (!isPlain(member)) requireJson(member, allowBigInt, `${path}.${key}`, seen)
    }
  }
  seen.pop()
}

/** Most members are, and need no look and no path. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || value === undefined
}

function problemOf(value: unknown, allowBigInt: boolean): string | undefined {
  switch (typeof value) {
    case 'function':
      return 'a function'
    case 'symbol':
      return 'a symbol'
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
  for (const kind of [Map, Set, WeakMap, WeakSet, Promise, RegExp, Error]) {
    if (value instanceof kind) return `a ${kind.name}`
  }
  return undefined
}
