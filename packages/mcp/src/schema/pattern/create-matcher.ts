import { checkPattern } from './check-pattern.ts'
import { compilePattern } from './compile-pattern.ts'
import { matchProgram } from './match-program.ts'
import { parsePattern } from './parse-pattern.ts'

export interface Matcher {
  test(text: string): boolean
}

/** A matcher in bounded time, or undefined. Throws `TooCostly` rather than take very many steps. */
export function createMatcher(pattern: string): Matcher | undefined {
  const kind = checkPattern(pattern)
  if (kind === undefined) return undefined
  if (kind === 'plain') return new RegExp(pattern, 'u')
  const program = compilePattern(parsePattern(pattern)!.node)!
  return { test: (text) => matchProgram(program, text) }
}
