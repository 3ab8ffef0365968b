import type { JsonSchema } from '../protocol/index.ts'

type ToJsonSchema = (schema: unknown, options: { typeMode: 'input' | 'output'; target: string }) => JsonSchema

/** As much of Node's `process` as other runtimes may have too. */
interface HostProcess {
  readonly argv: readonly string[]
  cwd(): string
  getBuiltinModule?(name: string): { createRequire(from: string): (name: string) => unknown } | undefined
}

/**
 * Finds Valibot's converter when the author has it installed, beside the program or where it was started.
 * `require` rather than `import`, because a definition is made, and refused, at once. It is asked for by way of
 * `process`, because this file runs everywhere; where there is no such thing, the author brings the converter
 * along: `toStandardJsonSchema(schema)`.
 */
export function loadValibotConverter(): ToJsonSchema | undefined {
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
