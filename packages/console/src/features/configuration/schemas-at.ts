import { resolve, type Schema } from '../../schema-form/schema.ts'

/** Every schema that may hold for the value at a path; alternatives give several. */
export function schemasAt(root: Schema, path: readonly string[]): Schema[] {
  let found = alternatives(root, root)
  for (const key of path) found = found.flatMap((schema) => below(schema, key, root))
  return found
}

function below(schema: Schema, key: string, root: Schema): Schema[] {
  if (key === '*') return schema.items ? alternatives(schema.items, root) : []
  const property = schema.properties?.[key]
  if (property) return alternatives(property, root)
  const additional = schema.additionalProperties
  return additional && typeof additional === 'object' ? alternatives(additional, root) : []
}

function alternatives(schema: Schema, root: Schema, depth = 0): Schema[] {
  const resolved = resolve(schema, root)
  const inner = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])]
  if (depth > 4) return [resolved]
  return [resolved, ...inner.flatMap((one) => alternatives(one, root, depth + 1))]
}
