import { createRequire } from 'node:module'
import { join } from 'node:path'
import type typescript from 'typescript'
import { CliError } from '../cli-error.ts'

export type TypeScript = typeof typescript

/** The compiler of the project, or one that is installed beside Gantry. From 7.0 on it has no parser to call. */
export function loadTypeScript(folder: string): TypeScript {
  for (const from of [join(folder, 'package.json'), import.meta.url]) {
    try {
      const found = createRequire(from)('typescript') as Partial<TypeScript>
      if (typeof found.createSourceFile === 'function') return found as TypeScript
    } catch {
      // Not installed there.
    }
  }
  throw new CliError('The codemod reads your files with TypeScript 5 or 6, and finds neither', {
    fix: 'npx -p typescript@6 -p gantry gantry codemod',
  })
}
