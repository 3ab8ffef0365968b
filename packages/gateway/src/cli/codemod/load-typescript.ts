import { createRequire } from 'node:module'
import type typescript from 'typescript'
import { CliError } from '../cli-error.ts'

export type TypeScript = typeof typescript

/**
 * The compiler that is installed beside Gantry. The compiler of the project is not loaded, because that would run code
 * of the project, which may not be the user's own. From 7.0 on TypeScript has no parser to call.
 */
export function loadTypeScript(): TypeScript {
  try {
    const found = createRequire(import.meta.url)('typescript') as Partial<TypeScript>
    if (typeof found.createSourceFile === 'function') return found as TypeScript
  } catch {
    // Not installed.
  }
  throw new CliError('The codemod reads your files with TypeScript 5 or 6, and finds neither beside Gantry', {
    fix: 'npx -p typescript@6 -p gantry gantry codemod',
  })
}
