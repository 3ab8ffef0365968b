import type { JsonSchema } from '../protocol/index.ts'

export type ToJsonSchema = (
  schema: unknown,
  options: { typeMode: 'input' | 'output'; target: string },
) => JsonSchema

/**
 * Finds Valibot's converter when the author has it installed. Outside Node a module cannot be loaded while a tool
 * is being defined, so there the author brings it along: `toStandardJsonSchema(schema)`.
 */
export function loadValibotConverter(): ToJsonSchema | undefined {
  return undefined
}
