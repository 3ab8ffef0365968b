const SECRET_NAME =
  /(^|-)(authorization|cookie|password|passwd|passphrase|secret|token|credentials?|bearer|api-?key|private-?key|access-?key)s?$/
/** Tokens of the protocol itself, which open nothing. */
const HARMLESS_NAME = /^(progress|page|next|continuation|cancel|sync)-token$/
export const REDACTED = '[redacted]'

/** Whether what has this name is a credential: `Authorization`, `x-api-key`, `clientSecret`, `DB_PASSWORD`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll(/[_.\s]+/g, '-')
    .toLowerCase()
  return SECRET_NAME.test(words) && !HARMLESS_NAME.test(words)
}

/** A replacer for `JSON.stringify` that blanks credentials by their names. */
export function redacting(key: string, value: unknown): unknown {
  return typeof value === 'string' && value !== '' && isSecretName(key) ? REDACTED : value
}
