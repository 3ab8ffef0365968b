import { isJsonObject } from '@gantry/mcp/exchange'
import type { JsonObject } from '@gantry/mcp/server'

// Descriptions are foreign data: only own members are read, so `__proto__` is just a name.

/** The object's own member, never an inherited one. */
export function own(object: unknown, key: string): unknown {
  return isJsonObject(object) && Object.hasOwn(object, key) ? object[key] : undefined
}

export function ownObject(object: unknown, key: string): JsonObject | undefined {
  const value = own(object, key)
  return isJsonObject(value) ? value : undefined
}

export function ownArray(object: unknown, key: string): readonly unknown[] {
  const value = own(object, key)
  return Array.isArray(value) ? value : []
}

export function ownString(object: unknown, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' ? value : undefined
}

export function ownEntries(object: unknown): [string, unknown][] {
  return isJsonObject(object) ? Object.entries(object) : []
}

/** Assigning `object['__proto__']` would change the prototype; defining the member does not. */
export function define(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}
