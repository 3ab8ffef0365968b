import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { ToJsonSchema } from './load-converter.ts'

/**
 * Finds Valibot's converter when the author has it installed, beside this package or beside the program.
 * `require` rather than `import`, because a definition is made, and refused, at once.
 */
export function loadValibotConverter(): ToJsonSchema | undefined {
  for (const from of [import.meta.url, pathToFileURL(`${process.cwd()}/package.json`)]) {
    try {
      const converter = createRequire(from)('@valibot/to-json-schema') as { toJsonSchema: ToJsonSchema }
      return converter.toJsonSchema
    } catch {
      // Not installed there; the next place, or the error that says what to install.
    }
  }
  return undefined
}
