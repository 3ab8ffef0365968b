import { parseUrl } from '@gantry/mcp/foreign'
import { decodeFully, normaliseEscapes, UNSEEN } from './escapes.ts'

/** The forms of a URI. Servers normalise URIs in different ways, so rules compare these forms, not text. */
export interface UriForms {
  /** The normal form of RFC 3986, section 6.2.2, with characters outside ASCII in the open and in NFC. */
  readonly exact: string
  /** The form that the most lenient server would see: fully decoded, in one case, without user and empty segments. */
  readonly loose: string
  /**
   * The form of a URI for servers that ignore the query, the fragment, slashes at the beginning and the end, or the host
   * of a file. A pattern keeps its fragment.
   */
  readonly bare: string
  /** Whether servers can disagree about where it leads. Such a URI has no canonical form. */
  readonly isAmbiguous: boolean
}

/** Longer URIs are not taken apart. */
const MAX_LENGTH = 16_384
/** Queries are not resolved, but some servers take all of a URI for a path. */
const HIDDEN_CLIMB = /(^|[/=&?#])\.\.?\/|\/\.\.?($|[/&?#])/
/** `..;x` is `..` for servers that take parameters off segments. */
const DOT_SEGMENT = /^\.\.?(;.*)?$/

/** Reads a URI, a URI template, or (with `isPattern`) a wildcard pattern for them, whose `?` begins no query. */
export function uriForms(text: string, isPattern: boolean = false): UriForms {
  if (text.length > MAX_LENGTH) return { exact: text, loose: text, bare: text, isAmbiguous: true }
  const seen = text.replace(UNSEEN, '').trim()
  const parts = splitUri(seen, isPattern)
  const exact = exactParts(parts)
  const loose = looseParts({ ...exact.parts, path: exact.climbing ?? exact.parts.path })
  return {
    exact: join(exact.parts),
    loose: join(loose.parts),
    bare: bareText(loose.parts) + (isPattern ? loose.parts.query : ''),
    isAmbiguous: seen !== text || exact.isAmbiguous || loose.isAmbiguous,
  }
}

function bareText({ scheme, authority = '', path }: UriParts): string {
  const way = withoutEnd((scheme === 'file' ? path : authority + path).replace(/^\/+/, ''), '/')
  if (scheme === undefined) return way
  return `${scheme}:${scheme === 'file' ? way.replace(/^([a-z])\|/, '$1:') : way}`
}

/** The canonical form as it is sent: ASCII only. */
export function sentUri({ exact }: UriForms): string {
  return exact.replace(/[^\u0020-\u007e]+/g, (run) =>
    encodeURIComponent(run.replace(/\p{Surrogate}/gu, '\ufffd')),
  )
}

interface Reading {
  readonly parts: UriParts
  readonly isAmbiguous: boolean
}

interface ExactReading extends Reading {
  /** The path before its dots were removed, when they lead above its beginning. */
  readonly climbing: string | undefined
}

function exactParts(parts: UriParts): ExactReading {
  const scheme = parts.scheme?.toLowerCase()
  let isAmbiguous = false
  const settle = (text: string): string => {
    const settled = normaliseEscapes(text)
    isAmbiguous ||= settled.isBroken
    return settled.text
  }
  const written = settle(parts.path)
  const path = removeDots(written)
  const authority = parts.authority === undefined ? undefined : settle(parts.authority)
  const host = authority === undefined ? undefined : normaliseHost(authority, scheme)
  isAmbiguous ||= path.climbs || host?.isBroken === true
  const isRoot = path.text === '' && host !== undefined && isSpecial(scheme) && !/[*?]$/.test(host.text)
  return {
    parts: {
      scheme,
      authority: host?.text,
      path: isRoot ? '/' : path.text,
      // An empty one says nothing. Clients and servers drop it.
      query: parts.query === '?' ? '' : settle(parts.query),
      fragment: parts.fragment === '#' ? '' : settle(parts.fragment),
    },
    isAmbiguous,
    climbing: path.climbs ? written : undefined,
  }
}

function looseParts({ scheme, authority, path, query, fragment }: UriParts): Reading {
  let isAmbiguous = false
  const decode = (text: string): string => {
    const decoded = decodeFully(text)
    // Servers that decode once and servers that decode twice read doubly encoded text differently.
    isAmbiguous ||= decoded.rounds > 1 || decoded.hidden
    return decoded.text.normalize('NFKC').toLowerCase().replaceAll('\\', '/')
  }
  const whole = decode(path)
  // A host behind slashes that are escaped, or lean the other way.
  const [, hidden, behind] = (authority === undefined && /^\/\/([^/]*)(.*)$/s.exec(whole)) || []
  isAmbiguous ||= hidden !== undefined
  const way = behind ?? whole
  const tail = (decode(query) + decode(fragment)).replace(/\/{2,}/g, '/')
  const owner = authority === undefined ? hidden : looseAuthority(authority, scheme, decode)
  const segments = way.split('/')
  isAmbiguous ||= segments.some((segment) => DOT_SEGMENT.test(segment)) || HIDDEN_CLIMB.test(tail)
  isAmbiguous ||= owner?.split('/').some((segment) => DOT_SEGMENT.test(segment)) === true
  // To some servers the host is the first folder, which dots can leave.
  const route = removeDots((owner ?? '') + segments.map(withoutTail).join('/')).text.replace(/\/{2,}/g, '/')
  const end = owner === undefined ? 0 : route.indexOf('/') < 0 ? route.length : route.indexOf('/')
  const parts: UriParts = {
    scheme,
    authority: owner === undefined ? undefined : route.slice(0, end),
    path: route.slice(end),
    query: tail,
    fragment: '',
  }
  return { parts, isAmbiguous }
}

function looseAuthority(
  authority: string,
  scheme: string | undefined,
  decode: (text: string) => string,
): string {
  const { host, port } = splitAuthority(authority)
  // Only well-known schemes have servers at different ports of one host.
  return withoutEnd(decode(host), '.') + (isSpecial(scheme) ? port : '')
}

/** Windows ignores dots and spaces at the end of a name. */
function withoutTail(segment: string): string {
  return DOT_SEGMENT.test(segment) ? segment.replace(/;.*$/s, '') : withoutEnd(segment, '. ')
}

/** A regular expression for this takes quadratic time. */
function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** RFC 3986, section 5.2.4. A path that climbs above its beginning does not mean the same to every server. */
function removeDots(path: string): { text: string; climbs: boolean } {
  if (!path.includes('.')) return { text: path, climbs: false }
  const isAbsolute = path.startsWith('/')
  const kept: string[] = []
  let climbs = false
  const segments = path.split('/')
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1
    if (segment === '..') {
      if (kept.length <= (isAbsolute ? 1 : 0)) climbs = true
      else kept.pop()
    }
    if (segment !== '.' && segment !== '..') kept.push(segment)
    else if (isLast) kept.push('')
  }
  return { text: kept.join('/'), climbs }
}

function join({ scheme, authority, path, query, fragment }: UriParts): string {
  return (
    (scheme === undefined ? '' : `${scheme}:`) +
    (authority === undefined ? '' : `//${authority}`) +
    path +
    query +
    fragment
  )
}

interface Authority {
  /** With `@` at its end, or empty. */
  readonly user: string
  readonly host: string
  /** With `:` in front, or empty. */
  readonly port: string
}

function splitAuthority(authority: string): Authority {
  const at = authority.lastIndexOf('@') + 1
  const [, host, port] = /^(.*?)(:\d*)?$/s.exec(authority.slice(at))!
  return { user: authority.slice(0, at), host: host!, port: port === ':' ? '' : (port ?? '') }
}

/**
 * Names of hosts are the same in upper and lower case, and each has one written form (RFC 5891). Other schemes may have
 * other kinds of names there.
 */
function normaliseHost(authority: string, scheme: string | undefined): { text: string; isBroken: boolean } {
  const { user, host, port } = splitAuthority(authority)
  if (!isSpecial(scheme)) return { text: user + host + port, isBroken: false }
  const kept = port === defaultPortOf(scheme) ? '' : port
  const named = hostName(host)
  const name = scheme === 'file' && named === 'localhost' ? '' : named
  return { text: user + (name ?? host.toLowerCase()) + kept, isBroken: name === undefined }
}

function hostName(host: string): string | undefined {
  if (host === '') return ''
  // A wildcard of a pattern.
  if (host.includes('?')) return host.toLowerCase()
  const url = `http://${host}/`
  return parseUrl(url)?.hostname
}

/** The five parts of RFC 3986, section 3. `query` and `fragment` begin with their mark, or are empty. */
interface UriParts {
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
function isSpecial(scheme: string | undefined): boolean {
  return scheme !== undefined && SPECIAL.has(scheme)
}

function defaultPortOf(scheme: string | undefined): string | undefined {
  return scheme === undefined ? undefined : SPECIAL.get(scheme)
}

function splitUri(text: string, isPattern: boolean): UriParts {
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

/**
 * The prefix of the scheme in the URIs of a target: `files` in `files+file:///notes.txt`. Schemes hold letters, digits,
 * "+", "-" and "." only, begin with a letter, and ignore case (RFC 3986, section 3.1). The prefix depends on the
 * target's prefix alone, so that the URIs of one target say nothing about other targets.
 */
export function targetScheme(prefix: string): string {
  const scheme = prefix.replace(/[^A-Za-z0-9.-]/g, '-').toLowerCase()
  return /^[a-z]/.test(scheme) ? scheme : `x-${scheme}`
}
