import { DistinctNames, hideShapes, isSecretName, REDACTED } from '../model/index.ts'

/** Under the name of a secret, texts and numbers are one, also in a list. Objects are not: a schema has such names. */
export function redacting(key: string, value: unknown): unknown {
  if (!isSecretName(key)) return value
  return Array.isArray(value) ? value.map(redacted) : redacted(value)
}

function redacted(value: unknown): unknown {
  const isSecret = typeof value === 'number' || (typeof value === 'string' && value !== '')
  return isSecret ? REDACTED : value
}

/** Takes out only what is certainly a credential, for readers who need the words of a target. */
export function hidingShapes(_: string, value: unknown): unknown {
  return withTexts(value, hideShapes)
}

/** Members of our own have such names: a secret that is a plain word must not rename them. */
const PLAIN_NAME = /^[A-Za-z_-]*$/

/** A text, or the names of the members of an object, without secrets. For a replacer of JSON, which sees no names alone. */
export function withTexts(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const names = Object.keys(value)
  if (names.every((name) => PLAIN_NAME.test(name))) return value
  const shown = names.map((name) => (PLAIN_NAME.test(name) ? name : hide(name)))
  if (shown.every((name, at) => name === names[at])) return value
  const distinct = new DistinctNames(' ')
  return Object.fromEntries(Object.values(value).map((member, at) => [distinct.take(shown[at]!), member]))
}
