import { Secret } from './secret.ts'

/** Deep equality of plain values as models hold them; secrets are equal when their values are. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Secret || b instanceof Secret) {
    return a instanceof Secret && b instanceof Secret && a.equals(b)
  }
  // Numbers that are kept as they were written.
  if ('toJSON' in a && 'toJSON' in b) return String(a) === String(b)
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b)
  if (a instanceof Map || b instanceof Map) {
    return a instanceof Map && b instanceof Map && isSameList([...a], [...b])
  }
  return isSameRecord(a as Record<string, unknown>, b as Record<string, unknown>)
}

function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item, index) => isSame(item, b[index]))
}

function isSameRecord(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
