import type { Completion, CompletionSource } from '@codemirror/autocomplete'
import { resolve, typesOf, type Schema } from '../../schema-form/schema.ts'
import { jsonPlaceAt, yamlPlaceAt, type Place } from './path-at.ts'
import { schemasAt } from './schemas-at.ts'

/** Offers what the schema knows for the place of the cursor: keys with what they mean, and values. */
export function schemaCompletions(root: Schema, format: 'jsonc' | 'yaml'): CompletionSource {
  const isYaml = format === 'yaml'
  return ({ state, pos, explicit }) => {
    const place = (isYaml ? yamlPlaceAt : jsonPlaceAt)(state.doc.toString(), pos)
    if (!explicit && place.from === pos) return null
    const schemas = schemasAt(root, place.path)
    const options = place.wants === 'key' ? keys(schemas, root, isYaml, place) : values(schemas, isYaml)
    if (options.length === 0) return null
    return { from: place.from, options, validFor: /^"?[\w$.-]*$/ }
  }
}

function keys(schemas: readonly Schema[], root: Schema, isYaml: boolean, place: Place): Completion[] {
  const found = new Map<string, Completion>()
  for (const schema of schemas) {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const resolved = resolve(property, root)
      if (resolved.deprecated === true || found.has(name)) continue
      const label = isYaml ? name : `"${name}"`
      found.set(name, {
        label,
        type: 'property',
        detail: typesOf(resolved).join(' or '),
        ...(resolved.description !== undefined && { info: resolved.description }),
        apply: isYaml ? `${name}: ` : `${label}: `,
        boost: place.path.length === 0 ? 0 : 1,
      })
    }
  }
  return [...found.values()]
}

function values(schemas: readonly Schema[], isYaml: boolean): Completion[] {
  const found = new Map<string, Completion>()
  const add = (value: unknown, detail?: string) => {
    const label = isYaml && typeof value === 'string' ? value : JSON.stringify(value)
    if (!found.has(label)) found.set(label, { label, type: 'enum', ...(detail !== undefined && { detail }) })
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
