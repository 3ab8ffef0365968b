import { loadValibotConverter } from './load-converter.ts'
import { McpError, type JsonObject } from '../jsonrpc/index.ts'
import type { JsonSchema } from '../protocol/index.ts'
import { copySchema } from './copy-schema.ts'
import type { StandardSchema } from './standard-schema.ts'

const TARGET = 'draft-2020-12'

/** Converts a library's schema to JSON Schema 2020-12, by the library's own means. */
export function toJsonSchema(schema: StandardSchema, io: 'input' | 'output'): JsonSchema {
  const { vendor } = schema['~standard']
  let converted: JsonObject
  try {
    converted = convert(schema, io)
  } catch (thrown) {
    if (thrown instanceof McpError) throw thrown
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw new McpError(
      'invalid_definition',
      `The ${vendor} schema cannot be written as JSON Schema: ${reason}`,
      {
        cause: thrown,
      },
    )
  }
  // 2020-12 is MCP's default dialect. Naming it costs tokens, and older clients stumble over it.
  const { $schema: _, ...rest } = copySchema(converted)
  return rest
}

function convert(schema: StandardSchema, io: 'input' | 'output'): JsonObject {
  const { vendor, jsonSchema } = schema['~standard']
  if (jsonSchema !== undefined) return jsonSchema[io]({ target: TARGET })
  if (vendor === 'valibot') {
    const toJson = loadValibotConverter()
    if (toJson !== undefined) return toJson(schema, { typeMode: io, target: TARGET })
  }
  throw new McpError(
    'invalid_definition',
    `The ${vendor} schema cannot be written as JSON Schema: ${adviceFor(vendor)}`,
  )
}

function adviceFor(vendor: string): string {
  switch (vendor) {
    case 'valibot':
      return 'install @valibot/to-json-schema; outside Node, pass toStandardJsonSchema(schema) from it'
    case 'zod':
      return 'use zod 4.2 or newer'
    case 'arktype':
      return 'use arktype 2.1.28 or newer'
    default:
      return `${vendor} lacks the Standard JSON Schema trait; give plain JSON Schema instead`
  }
}
