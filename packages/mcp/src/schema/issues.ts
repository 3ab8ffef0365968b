export interface Issue {
  /** Where: `user.emails[0]`; empty for the value itself. */
  readonly path: string
  /** What, so that it reads on from the path: `must be integer`, `is required`. */
  readonly message: string
}

export type Validation<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export type Path = readonly PropertyKey[]

const FIRST = '\\p{L}_$'
let plainKey: RegExp | undefined

/** Made at its first use: the engine looks up a literal's Unicode classes while it loads the file, at every start. */
const isPlainKey = (key: string): boolean => {
  plainKey ??= new RegExp(`^[${FIRST}][${FIRST}\\p{N}-]*$`, 'u')
  return plainKey.test(key)
}

/** Writes a path as JavaScript would: `a.b[0]["c d"]`. */
export function formatPath(path: Path): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else if (typeof key === 'string' && isPlainKey(key)) text += text === '' ? key : `.${key}`
    else text += `[${JSON.stringify(String(key))}]`
  }
  return text
}

/**
 * Issues as one sentence that a model can act on.
 *
 * @example
 * ```ts
 * describeIssues([
 *   { path: 'count', message: 'must be integer' },
 *   { path: 'name', message: 'is required' },
 * ]) // Invalid arguments: "count" must be integer; "name" is required
 * ```
 */
export function describeIssues(issues: readonly Issue[], subject = 'arguments'): string {
  return `Invalid ${subject}: ${issues.map(describeIssue).join('; ')}`
}

/** A message that starts like a sentence of its own is set off by a colon. */
export function describeIssue({ path, message }: Issue): string {
  if (path === '') return message
  return /^[a-z]/.test(message) ? `"${path}" ${message}` : `"${path}": ${message}`
}
