import { isSchema, schemaParts } from './schema-parts.ts'

type Json = Readonly<Record<string, unknown>>

/** The properties that a JSON Schema declares, wherever it does; undefined where objects may have others. */
export function closedProperties(schema: Json, root: Json = schema): Json | undefined {
  const parts = schemaParts(schema, root)
  if (parts.some((part) => !part || isOpen(part))) return undefined
  const found = declaredProperties(schema, root)
  return found.size === 0 && !parts.some((part) => isSchema(part!.properties))
    ? undefined
    : Object.fromEntries([...found].map(([name, all]) => [name, all.length === 1 ? all[0] : { allOf: all }]))
}

/** All that a JSON Schema says of each property. */
export function declaredProperties(schema: unknown, root: Json): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>()
  for (const part of schemaParts(schema, root)) {
    if (!isSchema(part?.properties)) continue
    for (const [name, property] of Object.entries(part.properties)) {
      found.set(name, [...(found.get(name) ?? []), property])
    }
  }
  return found
}

function isOpen({ patternProperties, additionalProperties, unevaluatedProperties }: Json): boolean {
  return (
    patternProperties !== undefined ||
    [additionalProperties, unevaluatedProperties].some((rest) => rest !== undefined && rest !== false)
  )
}

/** The names of the parameters of a tool or a prompt, as a target lists it; undefined where it may have others. */
export function closedParameters(item: Json): readonly string[] | undefined {
  const { inputSchema, arguments: listed = [] } = item
  if (inputSchema !== undefined) {
    const properties = isSchema(inputSchema) ? closedProperties(inputSchema) : undefined
    return properties && Object.keys(properties)
  }
  return Array.isArray(listed) ? listed.map((one: unknown) => String(isSchema(one) && one.name)) : undefined
}
