import { formatPath, type Issue, type Path } from './issues.ts'

export interface Finding {
  readonly path: Path
  readonly message: string
  /** What the finding is about when it tells that the schema was not the one meant. */
  readonly kind?: 'type' | 'constant' | 'detail'
}

export function toIssue({ path, message }: Finding): Issue {
  return { path: formatPath(path), message }
}
