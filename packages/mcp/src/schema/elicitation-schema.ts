import { isJsonObject, McpError, type JsonObject } from '../jsonrpc/index.ts'
import type { JsonSchema } from '../protocol/index.ts'
import { compileSchema } from './compile-schema.ts'
import { toFormField } from './form-field.ts'
import type { Schema } from './standard-schema.ts'

/** A form as MCP sends it: a flat object of primitive fields. */
export interface ElicitationSchema extends JsonObject {
  type: 'object'
  properties: { [name: string]: JsonSchema }
  required?: string[]
}

const UNFIT = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', '$ref']

/**
 * Turns a schema into the restricted form that elicitation allows (MCP 2026-07-28, elicitation, "Requested
 * Schema"): strings, numbers, booleans, and choices of strings. Throws `invalid_definition` naming the property
 * that cannot be expressed.
 *
 * Constraints that forms lack – patterns, other formats, multiples – are left out: validate the answer against
 * the schema itself.
 */
export function elicitationSchema(schema: Schema): ElicitationSchema {
  const { jsonSchema } = compileSchema(schema, { io: 'input' })
  const root = resolveLocal(jsonSchema, jsonSchema)
  const unfit = UNFIT.find((keyword) => keyword in root)
  if (unfit !== undefined) throw unfitForm(`its schema has "${unfit}"`)
  const properties = isJsonObject(root.properties) ? root.properties : {}
  const names = Object.keys(properties)
  const fields = names.map((name) => {
    const field = isJsonObject(properties[name])
      ? toFormField(resolveLocal(properties[name], jsonSchema))
      : 'a boolean schema'
    if (typeof field === 'string') throw unfitForm(`the property "${name}" is ${field}`)
    return [name, field] as const
  })
  const required = ((root.required as string[] | undefined) ?? []).filter((name) =>
    Object.hasOwn(properties, name),
  )
  const form: ElicitationSchema = { type: 'object', properties: Object.fromEntries(fields) }
  if (required.length > 0) form.required = required
  return form
}

function unfitForm(reason: string): McpError {
  return new McpError(
    'invalid_definition',
    `An elicitation form holds only strings, numbers, booleans and choices of strings: ${reason}`,
  )
}

/** Follows `$ref`s into the document; libraries write shared schemas that way. Siblings add to the target. */
function resolveLocal(schema: JsonObject, root: JsonObject): JsonObject {
  let { $ref, ...own } = schema
  for (let hops = 0; typeof $ref === 'string' && hops < 20; hops++) {
    const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1]
    const definitions = isJsonObject(root.$defs) ? root.$defs : root.definitions
    const target = name !== undefined && isJsonObject(definitions) ? definitions[name] : undefined
    if (!isJsonObject(target)) return { ...own, $ref }
    const { $ref: further, ...rest } = target
    own = { ...rest, ...own }
    $ref = further
  }
  return own
}
