/** The five parts of RFC 3986, section 3. `query` and `fragment` begin with their mark, or are empty. */
export interface UriParts {
  readonly scheme: string | undefined
  readonly authority: string | undefined
  readonly path: string
  readonly query: string
  readonly fragment: string
}

const URI = /^([a-z][a-z0-9+.-]*):(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/is
/** In a pattern `?` stands for any character, and the scheme can have wildcards. */
const PATTERN = /^([a-z*?][a-z0-9+.*?-]*):(\/\/[^/#]*)?([^#]*)()(#.*)?$/is
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['http', ':80'],
  ['https', ':443'],
  ['ws', ':80'],
  ['wss', ':443'],
  ['ftp', ':21'],
  ['file', ''],
])

/** The schemes whose URIs every runtime reads in the same way (WHATWG URL, special schemes). */
export function isSpecial(scheme: string | undefined): boolean {
  return scheme !== undefined && SPECIAL.has(scheme)
}

export function defaultPortOf(scheme: string | undefined): string | undefined {
  return scheme === undefined ? undefined : SPECIAL.get(scheme)
}

export function splitUri(text: string, isPattern: boolean): UriParts {
  const [, scheme, authority, path, query, fragment] =
    (isPattern ? PATTERN : URI).exec(withPlainSlashes(text)) ?? []
  if (scheme === undefined) {
    return { scheme: undefined, authority: undefined, path: text, query: '', fragment: '' }
  }
  return {
    scheme,
    authority: authority?.slice(2),
    path: path ?? '',
    query: query ?? '',
    fragment: fragment ?? '',
  }
}

/** For special schemes `\` is `/`, and the number of slashes behind the scheme does not matter. */
function withPlainSlashes(text: string): string {
  const scheme = /^[a-z]+(?=:)/i.exec(text)?.[0].toLowerCase()
  if (!isSpecial(scheme)) return text
  const rest = text.slice(scheme!.length + 1).replace(/^[^?#]*/, (way) => way.replaceAll('\\', '/'))
  if (scheme !== 'file') return `${scheme}://${rest.replace(/^\/*/, '')}`
  return rest.startsWith('//') ? `file:${rest}` : `file:///${rest.replace(/^\//, '')}`
}
