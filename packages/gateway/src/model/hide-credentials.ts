import { JSON_WEB_TOKEN, PRIVATE_KEY, VENDOR_KEY } from './sensitive/known-keys.ts'

export const REDACTED = '[redacted]'

const SECRET_WORD =
  'authorization|cookie|password|passwd|pass|pwd|pw|passphrase|secret|token|credentials?|bearer|signature|' +
  'api[-_]?key|private[-_]?key|access[-_]?key'
/** Also `PGPASSWORD`, `authtoken`, `TOKEN_2`. */
const SECRET_NAME = new RegExp(
  `(?:(?:^|-)(?:${SECRET_WORD})|password|passwd|passphrase|secret|token|apikey)s?(?:-?v?\\d{1,3})?$`,
)
/** Tokens of the protocol itself, which open nothing, and those that models count. */
const HARMLESS_NAME =
  /^(?:progress|page|next|continuation|cancel|sync)-token$|^(?:(?:max|min|total|input|output|prompt|completion|cached|reasoning|used|remaining|context)-(?:[a-z]+-)*tokens?\d*|tokens)$/
const SETTING_NAME = /(?:^|-|api)(?:key|auth|pat|credential|bearer)s?(?:-?v?\d{1,3})?$|(?:pass|pwd)$/
const HARMLESS_SETTING = /(?:^|-)(?:public|primary|sort|cache|foreign)-key$/

/** A part of each of these words: results have hundreds of thousands of names that have none. */
const SECRET_PART = /auth|cookie|pass|pwd?|secret|token|cred|bearer|signature|key/i

/** Whether a value with this name is a credential: `Authorization`, `x-api-key`, `clientSecret`, `DB_PASSWORD`. */
export function isSecretName(name: string): boolean {
  if (!SECRET_PART.test(name)) return false
  const words = wordsOf(name)
  return SECRET_NAME.test(words) && !HARMLESS_NAME.test(words)
}

/**
 * The same for the name of a variable, header, flag or query parameter in the configuration, where `OPENAI_KEY` also
 * names a secret.
 */
export function isSecretSetting(name: string): boolean {
  const words = wordsOf(name)
  return isSecretName(name) || (SETTING_NAME.test(words) && !HARMLESS_SETTING.test(words))
}

function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll(/[_.\s]+/g, '-')
    .toLowerCase()
}

/** `scheme://user:password@host`. The second form is for passwords with `/`, `?` or `#` in them. */
const USER_INFO = [
  /\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#"'`<>\\]{1,200}@/gi,
  /\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s:/?#"'`<>@]{0,100}:(?!\d{1,5}[/?#])[^\s"'`<>@]{1,200}@/gi,
  // Cut off before the host.
  /\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#"'`<>\\@]{1,200}:(?=…)/gi,
]
const SCHEME = /\b(bearer|basic)(\s{1,3})(?=[\w.~+/=-]*\d|[\w.~+/=-]{16})[\w.~+/=-]{6,}/gi
/** `Cookie: a=b; c=d`. */
const COOKIE = /\b((?:set-)?cookie["']?\s{0,3}[:=]\s{0,3}["']?)(?!\$\{)[^\s"'=;]{1,200}=[^"'\r\n]{1,4000}/gi
const BEFORE_VALUE = String.raw`(?!\$\{|\[redacted\])`
/** `"password":"abc"`, also inside of JSON, and `DB_PASSWORD=abc`. */
const FIELD = new RegExp(
  String.raw`(\\{0,15}["'])([\w.-]{0,40}?(?:${SECRET_WORD})s?)(\1\s{0,3}:\s{0,3})(\\{0,15}["'])${BEFORE_VALUE}.{1,4000}?\4`,
  'gi',
)
const ASSIGNED = new RegExp(
  String.raw`(?<![\w-])([\w.-]{0,40}?(?:${SECRET_WORD})s?)(=)${BEFORE_VALUE}("[^"\n]+"|'[^'\n]+'|[^\s"'\\,;&<>)}\]]{3,})`,
  'gi',
)
/** `--api-key abc`, `--token=abc`. */
const FLAG =
  /(^|[\s"'])(--?[\w-]{0,40}(?:token|secret|pass(?:w\w{0,4}|phrase)?|pwd?|key|auth|credentials?|bearer|cookie|pat))(\s{1,3}|=)(?!\$\{)("[^"\n]*"|'[^'\n]*'|[^\s"'-][^\s"']*)/gi
/** `Authorization: Bearer abc`, `password: abc`. */
const NAMED = new RegExp(
  String.raw`(?<![\w-])([\w.-]{0,40}?(?:${SECRET_WORD})s?)(\\?["']?\s{0,3}[:=]\s{0,3})(?:(?:bearer|basic|token|digest)[ \t]+)?${BEFORE_VALUE}("[^"\n]+"|'[^'\n]+'|[^\s"',;&<>)}\]]{3,})`,
  'gi',
)

/** Of all forms of keys. */
const SHORTEST_KEY = 15

/** Removes keys that are known by their form. JSON stays JSON, and lines stay lines. */
export function hideKeys(text: string): string {
  if (text.length < SHORTEST_KEY) return text
  return text
    .replace(VENDOR_KEY, REDACTED)
    .replace(JSON_WEB_TOKEN, REDACTED)
    .replace(PRIVATE_KEY, (block) => block.replaceAll(/[^\n]+/g, REDACTED))
}

/**
 * Takes out credentials that no prose is taken for: keys, user information in URLs, headers, fields, assignments,
 * flags.
 */
export function hideShapes(text: string): string {
  let shown = hideKeys(text)
  for (const pattern of USER_INFO) shown = shown.replace(pattern, `$1${REDACTED}@`)
  return shown
    .replace(COOKIE, `$1${REDACTED}`)
    .replace(FIELD, (whole, quote: string, name: string, between: string, open: string) =>
      isSecretName(name) ? `${quote}${name}${between}${open}${REDACTED}${open}` : whole,
    )
    .replace(ASSIGNED, hideNamed)
    .replace(SCHEME, `$1$2${REDACTED}`)
    .replace(FLAG, (whole, before: string, flag: string, between: string, value: string) =>
      isNoWord(value) ? `${before}${flag}${between}${REDACTED}` : whole,
    )
    .replace(NAMED, (whole, name: string, between: string, value: string) =>
      isNoWord(value) ? hideNamed(whole, name, between) : whole,
    )
}

/** The above, and any word behind a flag or a name. Each pattern is bounded, so the time is linear. */
export function hideCredentials(text: string): string {
  return hideShapes(text).replace(FLAG, `$1$2$3${REDACTED}`).replace(NAMED, hideNamed)
}

function hideNamed(whole: string, name: string, between: string): string {
  return isSecretName(name) ? `${name}${between}${REDACTED}` : whole
}

/** "Missing token: please sign in" stays as it is. */
function isNoWord(value: string): boolean {
  return /\d/.test(value) || value.length >= 20
}

/** Tokens and client secrets, by their names. */
export function* secretsIn(value: unknown, name = ''): Generator<string> {
  if (typeof value === 'string' && isSecretName(name)) yield value
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) yield* secretsIn(member, key)
}
