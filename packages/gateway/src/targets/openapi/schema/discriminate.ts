import type { JsonSchema } from '../mcp.ts'
import { isObject, own, ownEntries, ownString } from '../own.ts'

/** Turns OpenAPI's `discriminator` into a constant in each branch, for JSON Schema has no such keyword. */
export function discriminate(schema: JsonSchema, source: JsonSchema): void {
  const property = ownString(own(source, 'discriminator'), 'propertyName')
  if (property === undefined) return
  for (const keyword of ['oneOf', 'anyOf']) {
    const sources = own(source, keyword)
    const branches = own(schema, keyword)
    if (!Array.isArray(sources) || !Array.isArray(branches)) continue
    schema[keyword] = branches.map((branch, index) => {
      const values = valuesOf(sources[index], own(source, 'discriminator'))
      if (values.length === 0 || !isObject(branch)) return branch
      const expected = values.length === 1 ? { const: values[0] } : { enum: values }
      return { ...branch, properties: Object.fromEntries([[property, expected]]), required: [property] }
    })
  }
}

/** The mapping's values for a branch, else the name of the schema that the branch refers to. */
function valuesOf(branch: unknown, discriminator: unknown): string[] {
  const reference = ownString(branch, '$ref')
  if (reference === undefined || Object.keys(branch as JsonSchema).length > 1) return []
  const name = reference.split('/').at(-1)!
  const mapping = ownEntries(own(discriminator, 'mapping'))
  const mapped = mapping
    .filter(([, target]) => target === reference || target === name)
    .map(([value]) => value)
  if (mapped.length > 0) return mapped
  return reference.startsWith('#/') ? [name] : []
}
