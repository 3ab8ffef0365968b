import { isSecretName, REDACTED } from '../model/index.ts'

export function redacting(key: string, value: unknown): unknown {
  return typeof value === 'string' && value !== '' && isSecretName(key) ? REDACTED : value
}
