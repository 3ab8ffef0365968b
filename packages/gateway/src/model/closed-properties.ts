type Json = Readonly<Record<string, unknown>>

/** The properties of a JSON Schema that says what its objects have; undefined where they may have others. */
export function closedProperties(schema: Json): Json | undefined {
  const { properties, additionalProperties, patternProperties } = schema
  const isOpen =
    patternProperties !== undefined || !(additionalProperties === undefined || additionalProperties === false)
  const isCombined = ['anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => keyword in schema)
  return isObject(properties) && !isOpen && !isCombined ? properties : undefined
}

/** The names of the parameters of a tool or a prompt, as a target lists it; undefined where it may have others. */
export function closedParameters(item: Json): readonly string[] | undefined {
  const { inputSchema, arguments: listed = [] } = item
  if (inputSchema !== undefined) {
    const properties = isObject(inputSchema) ? closedProperties(inputSchema) : undefined
    return properties && Object.keys(properties)
  }
  return Array.isArray(listed) ? listed.map((one: unknown) => String(isObject(one) && one.name)) : undefined
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
