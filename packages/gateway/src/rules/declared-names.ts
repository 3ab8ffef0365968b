import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'

/** The names of a tool's or a prompt's parameters. */
export function declaredNames(item: JsonObject | undefined): ReadonlySet<string> {
  const { inputSchema, arguments: listed } = item ?? {}
  if (Array.isArray(listed)) return new Set(listed.map((one) => String(isJsonObject(one) ? one.name : '')))
  const properties = isJsonObject(inputSchema) ? inputSchema.properties : undefined
  return new Set(isJsonObject(properties) ? Object.keys(properties) : [])
}
