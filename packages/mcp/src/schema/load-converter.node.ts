import type { ToJsonSchema } from './load-converter.ts'

/**
 * Finds Valibot's converter when the author has it installed, beside this package or beside the program.
 * `require` rather than `import`, because a definition is made, and refused, at once.
 */
export function loadValibotConverter(): ToJsonSchema | undefined {
  // Asked for when it is needed: an import of `node:module` would cost every server two milliseconds of its start.
  const { createRequire } = process.getBuiltinModule('node:module')
  for (const from of [import.meta.url, `${process.cwd()}/package.json`]) {
    try {
      const converter = createRequire(from)('@valibot/to-json-schema') as { toJsonSchema: ToJsonSchema }
      return converter.toJsonSchema
    } catch {
      // Not installed there; the next place, or the error that says what to install.
    }
  }
  return undefined
}
