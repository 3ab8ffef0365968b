import type { RE2JS } from 're2js'

let engine: typeof RE2JS | undefined

/** Loads the engine of patterns. Configurations without any do without it. */
export async function loadRe2(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS
}

/** Compiles a pattern whose time is linear in the length of the text; throws when the text is not a pattern. */
export function compileRe2(source: string): RE2JS {
  if (!engine) throw new Error('loadRe2() comes first')
  return engine.compile(source)
}
