export const REDACTED = '[redacted]'

const SECRET_NAME =
  /(^|-)(authorization|cookie|password|passwd|pass|pwd|pw|passphrase|secret|token|credentials?|bearer|api-?key|private-?key|access-?key)s?$/
/** Tokens of the protocol itself, which open nothing. */
const HARMLESS_NAME = /^(progress|page|next|continuation|cancel|sync)-token$/

/** Whether a value with this name is a credential: `Authorization`, `x-api-key`, `clientSecret`, `DB_PASSWORD`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll(/[_.\s]+/g, '-')
    .toLowerCase()
  return SECRET_NAME.test(words) && !HARMLESS_NAME.test(words)
}

/** `scheme://user:password@host`. The second form is for passwords with `/`, `?` or `#` in them. */
const USER_INFO = [
  /\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#"'`<>\\]{1,500}@/gi,
  /\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s:/?#"'`<>@]{0,100}:(?!\d{1,5}[/?#])[^\s"'`<>@]{1,500}@/gi,
]
/** `--api-key abc`, `--token=abc`. */
const FLAG =
  /(^|[\s"'])(--?[\w-]{0,40}(?:token|secret|pass(?:w\w{0,4}|phrase)?|pwd?|key|auth|credentials?|bearer|cookie|pat))(\s{1,3}|=)(?!\$\{)("[^"]*"|'[^']*'|[^\s"'-][^\s"']*)/gi
/** `Authorization: Bearer abc`, `"password":"abc"`, `?api_key=abc`. */
const NAMED =
  /(?<![\w-])([\w.-]{0,40}?(?:authorization|cookie|password|passwd|pass|pwd|pw|passphrase|secret|token|credentials?|api[-_]?key|private[-_]?key|access[-_]?key)s?)(\\?["']?\s{0,3}[:=]\s{0,3})(?:(?:bearer|basic|token|digest)\s+)?(?!\$\{|\[redacted\])("[^"]+"|'[^']+'|[^\s"',;&<>)}\]]{3,})/gi
const SCHEME = /\b(bearer|basic)(\s{1,3})(?=[\w.~+/=-]*\d|[\w.~+/=-]{16})[\w.~+/=-]{6,}/gi
/** Keys that can be told by how they begin: those of well-known services, and JSON Web Tokens. */
const WELL_KNOWN =
  /\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AKIA[\dA-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g

/** Removes what looks like a credential from plain text. Each pattern is bounded, so the time is linear. */
export function hideCredentials(text: string): string {
  let shown = text
  for (const pattern of USER_INFO) shown = shown.replace(pattern, `$1${REDACTED}@`)
  return shown
    .replace(FLAG, `$1$2$3${REDACTED}`)
    .replace(NAMED, (whole, name: string, between: string) =>
      isSecretName(name) ? `${name}${between}${REDACTED}` : whole,
    )
    .replace(SCHEME, `$1$2${REDACTED}`)
    .replace(WELL_KNOWN, REDACTED)
}
