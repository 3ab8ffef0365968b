import type { JsonSchema } from '@gantry/mcp/server'
import type { Operation, Response } from '../operations/operation.ts'
import { isJson } from '../operations/read-body.ts'
import { isJsonObject } from '@gantry/mcp/exchange'
import { assembleSchema } from '../schema/assemble-schema.ts'
import type { Converted, SchemaConverter } from '../schema/schema-converter.ts'
import type { PlanContext } from './plan-context.ts'

export interface OutputPlan {
  readonly schema: JsonSchema
  /** Revisions before 2026-07-28 allow only objects; other results travel there as `{ result: … }`. */
  readonly isObjectRoot: boolean
}

const MOST_HOPS = 10

/** The output schema, if every success is JSON with a schema (MCP 2026-07-28, Tools, Output Schema). */
export function planOutput(operation: Operation, context: PlanContext): OutputPlan | undefined {
  const converter = context.output
  if (converter === undefined || operation.method === 'head') return undefined
  const successes = operation.responses.filter((response) => /^2(\d\d|XX)$/i.test(response.status))
  const schemas = successes.map((response) => successSchema(response, operation, converter))
  if (schemas.length === 0 || schemas.some((schema) => schema === undefined)) return undefined
  const root = combine(schemas as Converted[])
  const isObjectRoot = isObjectLike(root.schema, converter, 0)
  if (isObjectRoot && root.schema.type === undefined) root.schema.type = 'object'
  if (Object.keys(root.schema).every((keyword) => keyword === 'description' || keyword === 'title'))
    return undefined
  return { schema: assembleSchema(root, converter, context.maxSchemaBytes / 2), isObjectRoot }
}

/** The form for revisions that allow only objects. */
export function wrapSchema(schema: JsonSchema): JsonSchema {
  const { $defs, ...result } = schema
  const wrapped: JsonSchema = { type: 'object', properties: { result }, required: ['result'] }
  return $defs === undefined ? wrapped : { ...wrapped, $defs }
}

function successSchema(
  response: Response,
  operation: Operation,
  converter: SchemaConverter,
): Converted | undefined {
  const content = response.contents.find(({ mediaType }) => isJson(mediaType) || mediaType === '*/*')
  if (content?.schema === undefined) return undefined
  return inline(converter.convert(content.schema, `${operation.key} ${response.status}`), converter)
}

/** A root that is nothing but a reference is replaced by what it names: the root has to show its `type`. */
function inline(converted: Converted, converter: SchemaConverter): Converted {
  let at = converted
  for (let hops = 0; hops < MOST_HOPS && Object.keys(at.schema).join() === '$ref'; hops++) {
    at = converter.definition(String(at.schema.$ref).slice('#/$defs/'.length))
  }
  return { ...at, schema: { ...at.schema } }
}

function combine(schemas: readonly Converted[]): Converted {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema.schema), schema]))
  const [only, ...others] = distinct.values()
  if (others.length === 0) return only!
  return {
    schema: { anyOf: [...distinct.values()].map(({ schema }) => schema) },
    refs: new Set([...distinct.values()].flatMap(({ refs }) => [...refs])),
    inPlace: new Set(),
  }
}

/** Whether only objects can meet the schema, also when it says so through `$ref`, `allOf`, `anyOf` or `oneOf`. */
function isObjectLike(schema: unknown, converter: SchemaConverter, depth: number): boolean {
  if (!isJsonObject(schema) || depth > MOST_HOPS) return false
  if (schema.type !== undefined) return schema.type === 'object'
  const check = (branch: unknown) => isObjectLike(branch, converter, depth + 1)
  if (Array.isArray(schema.allOf) && schema.allOf.some(check)) return true
  for (const branches of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(branches) && branches.every(check)) return true
  }
  if (typeof schema.$ref === 'string') return check(converter.definition(schema.$ref.slice(8)).schema)
  return schema.properties !== undefined && schema.anyOf === undefined && schema.oneOf === undefined
}
