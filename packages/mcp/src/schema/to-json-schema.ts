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
      { cause: thrown },
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

type ToJsonSchema = (schema: unknown, options: { typeMode: 'input' | 'output'; target: string }) => JsonSchema

/** As much of Node's `process` as other runtimes may have too. */
interface HostProcess {
  readonly argv: readonly string[]
  cwd(): string
  getBuiltinModule?(name: string): { createRequire(from: string): (name: string) => unknown } | undefined
}

/** Finds an installed Valibot converter with `require`, because definitions are refused at once. */
function loadValibotConverter(): ToJsonSchema | undefined {
  const { process } = globalThis as unknown as { process?: HostProcess }
  const loader = process?.getBuiltinModule?.('module')
  if (process === undefined || loader === undefined) return undefined
  for (const from of [process.argv[1], `${process.cwd()}/package.json`]) {
    try {
      const converter = loader.createRequire(String(from))('@valibot/to-json-schema')
      return (converter as { toJsonSchema: ToJsonSchema }).toJsonSchema
    } catch {
      // Not installed there; the next place, or the error that says what to install.
    }
  }
  return undefined
}
