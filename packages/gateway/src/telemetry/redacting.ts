import { hideCredentials, hideShapes, isSecretName, REDACTED } from '../model/index.ts'

export function redacting(key: string, value: unknown): unknown {
  return typeof value === 'string' && value !== '' && isSecretName(key) ? REDACTED : value
}

/** The same, and texts lose what looks like a credential: for operators. */
export function redactingTexts(key: string, value: unknown): unknown {
  const plain = redacting(key, value)
  return typeof plain === 'string' ? hideCredentials(plain) : plain
}

/** Texts lose only what is a credential without doubt: for those who need the words of a target. */
export function hidingShapes(_: string, value: unknown): unknown {
  return typeof value === 'string' ? hideShapes(value) : value
}
