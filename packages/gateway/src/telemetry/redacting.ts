import { isSecretName, REDACTED } from '../model/index.ts'

/** A replacer for `JSON.stringify` that blanks credentials by their names. */
export function redacting(key: string, value: unknown): unknown {
  return typeof value === 'string' && value !== '' && isSecretName(key) ? REDACTED : value
}
