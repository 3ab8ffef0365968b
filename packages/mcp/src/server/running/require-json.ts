import { findUnwritable, McpError, problemOf } from '../../jsonrpc/index.ts'

/** Throws for values that JSON cannot express, with their path. */
export function requireJson(value: unknown, allowBigInt: boolean): void {
  // Finding the path costs more than the check, and a result that can be written needs no path.
  if (isPlainJson(value, allowBigInt)) return
  const found = findUnwritable(value, 'result', allowBigInt)
  if (!found) return
  const { path, problem, cause } = found
  throw new McpError('invalid_output', `${path} ${problem}`, { cause, details: { path } })
}

/** Deeper values are looked at with care: they may contain themselves. */
const MAX_DEPTH = 64

function isPlainJson(value: unknown, allowBigInt: boolean): boolean {
  try {
    return isWritable(value, allowBigInt, MAX_DEPTH)
  } catch {
    // A member that cannot be read.
    return false
  }
}

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
