export type ConfigPath = readonly (string | number)[]

/** An error or a doubt in a configuration: its place, its message and the fix. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  readonly message: string
  readonly fix: string | undefined
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly column: number
  /** Characters that are meant, from `column` on; at least 1. */
  readonly length: number
  /** Such as `mcpServers.github.args[0]`; empty for the whole file. */
  readonly path: string
}

export type ProblemCode =
  | 'unreadable'
  | 'not-accepted'
  | 'syntax'
  | 'duplicate-key'
  | 'unknown-key'
  | 'missing-key'
  | 'invalid-value'
  | 'misplaced-key'
  | 'ignored-key'
  | 'unresolved-reference'
  | 'suspicious-reference'
  | 'auth-required'
  | 'weak-key'
  | 'duplicate-name'
  | 'ineffective-rule'
  | 'failed-test'
  | 'missing-file'
  | 'open-to-all'

export function formatPath(path: ConfigPath): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (/^[A-Za-z_$][\w$-]*$/.test(part)) text += text === '' ? part : `.${part}`
    else text += `[${JSON.stringify(part)}]`
  }
  return text
}
