import { resolve, typesOf, type Schema } from '../../schema-form/schema.ts'
import type { Completion, CompletionSource } from '../../ui/editor/completion.ts'
import { jsonPlaceAt, yamlPlaceAt } from './path-at.ts'
import { schemasAt } from './schemas-at.ts'
import { writeJson } from '../../api/json.ts'

/** Offers what the schema knows for the place of the cursor: keys with what they mean, and values. */
export function schemaCompletions(root: Schema, format: 'jsonc' | 'yaml'): CompletionSource {
  const isYaml = format === 'yaml'
  return (text, at, isAsked) => {
    const place = (isYaml ? yamlPlaceAt : jsonPlaceAt)(text, at)
    if (!isAsked && place.from === at) return undefined
    const schemas = schemasAt(root, place.path)
    const options = place.wants === 'key' ? keys(schemas, root, isYaml) : values(schemas, isYaml)
    return { from: place.from, options }
  }
}

function keys(schemas: readonly Schema[], root: Schema, isYaml: boolean): Completion[] {
  const found = new Map<string, Completion>()
  for (const schema of schemas) {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const resolved = resolve(property, root)
      if (resolved.deprecated === true || found.has(name)) continue
      const label = isYaml ? name : `"${name}"`
      found.set(name, {
        label,
        detail: typesOf(resolved).join(' or '),
        ...(resolved.description !== undefined && { info: resolved.description }),
        apply: isYaml ? `${name}: ` : `${label}: `,
      })
    }
  }
  return [...found.values()]
}

function values(schemas: readonly Schema[], isYaml: boolean): Completion[] {
  const found = new Map<string, Completion>()
  const add = (value: unknown, detail?: string) => {
    const label = isYaml && typeof value === 'string' ? value : writeJson(value)
    if (!found.has(label)) found.set(label, { label, ...(detail !== undefined && { detail }) })
  }
  for (const schema of schemas) {
    for (const value of schema.enum ?? []) add(value)
    if ('const' in schema) add(schema.const)
    if (schema.default !== undefined) add(schema.default, 'default')
    for (const value of schema.examples ?? []) if (typeof value !== 'object') add(value, 'example')
    if (typesOf(schema).includes('boolean')) for (const value of [true, false]) add(value)
  }
  return [...found.values()]
}
