import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { declaredProperties } from '../model/index.ts'

const known = new WeakMap<JsonObject, ReadonlySet<string>>()

/** The names of a tool's or a prompt's parameters. */
export function declaredNames(item: JsonObject | undefined): ReadonlySet<string> {
  if (!item) return new Set()
  const names = known.get(item) ?? namesOf(item)
  known.set(item, names)
  return names
}

function namesOf({ inputSchema, arguments: listed }: JsonObject): ReadonlySet<string> {
  if (Array.isArray(listed)) return new Set(listed.map((one) => String(isJsonObject(one) ? one.name : '')))
  return isJsonObject(inputSchema) ? new Set(declaredProperties(inputSchema, inputSchema).keys()) : new Set()
}
