import { isJsonObject, writeJson } from '@gantry/mcp/exchange'
import type { Encoding } from '../operations/operation.ts'

// Parameter styles of OpenAPI 3.1.1 ("Style Values", "Style Examples", appendix C), which follow RFC 6570.

/** Encodes everything but unreserved characters, also `!'()*`; half a surrogate pair becomes U+FFFD. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  })
}

/** `allowReserved` keeps reserved characters, except those that would end the value or the query. */
export function encodeReserved(text: string): string {
  return encode(text).replace(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/g, (escaped) =>
    decodeURIComponent(escaped),
  )
}

/** Text for one value; what is nested deeper than a style can say becomes JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? writeJson(value) : String(value)
}

/** `null` members are left out: no style can write them. */
function present(entries: [string, unknown][]): [string, unknown][] {
  return entries.filter(([, value]) => value !== null && value !== undefined)
}

function itemsOf(value: readonly unknown[]): unknown[] {
  return value.filter((item) => item !== null && item !== undefined)
}

/** `simple`, `label` and `matrix`, for paths and (with an encoder that changes nothing) for headers. */
export function serializeSegment(
  name: string,
  value: unknown,
  { style, explode }: Pick<Encoding, 'style' | 'explode'>,
  escapeText: (text: string) => string,
): string {
  const write = (item: unknown) => escapeText(toText(item))
  const matrix = style === 'matrix'
  const prefix = style === 'label' ? '.' : matrix ? ';' : ''
  const between = !explode || prefix === '' ? ',' : prefix
  if (Array.isArray(value)) {
    const items = itemsOf(value).map(write)
    if (matrix && explode) return items.map((item) => `;${escapeText(name)}=${item}`).join('')
    return prefix + (matrix ? `${escapeText(name)}=` : '') + items.join(between)
  }
  if (isJsonObject(value)) {
    const members = present(Object.entries(value))
    const pairs = members.map(([key, member]) => `${write(key)}${explode ? '=' : ','}${write(member)}`)
    return prefix + (matrix && !explode ? `${escapeText(name)}=` : '') + pairs.join(between)
  }
  const text = write(value)
  if (!matrix) return prefix + text
  return text === '' ? `;${escapeText(name)}` : `;${escapeText(name)}=${text}`
}

const DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/** Encoded `name=value` pairs for a query, a form or (joined differently) a cookie. */
export function serializePairs(name: string, value: unknown, encoding: Partial<Encoding>): string[] {
  const { style = 'form', explode = style === 'form', allowReserved = false, mediaType } = encoding
  const escapeText = allowReserved ? encodeReserved : encode
  const pair = (key: string, text: unknown) => `${encode(key)}=${escapeText(toText(text))}`
  if (mediaType !== undefined) return [pair(name, contentText(value, mediaType))]
  if (style === 'deepObject') return deepPairs(name, value).map(([key, text]) => pair(key, text))
  const delimiter = DELIMITERS[style] ?? ','
  if (Array.isArray(value)) {
    const items = itemsOf(value)
    if (explode) return items.map((item) => pair(name, item))
    return [`${encode(name)}=${items.map((item) => escapeText(toText(item))).join(delimiter)}`]
  }
  if (isJsonObject(value)) {
    const members = present(Object.entries(value))
    if (explode) return members.map(([key, member]) => pair(key, member))
    const flat = members.flatMap(([key, member]) => [escapeText(key), escapeText(toText(member))])
    return [`${encode(name)}=${flat.join(delimiter)}`]
  }
  return [pair(name, value)]
}

/** `a[b][c]=1`; lists, which OpenAPI leaves open, get their index: `a[b][0]=1`. */
function deepPairs(name: string, value: unknown): [string, unknown][] {
  if (Array.isArray(value))
    return itemsOf(value).flatMap((item, index) => deepPairs(`${name}[${index}]`, item))
  if (!isJsonObject(value)) return [[name, value]]
  return present(Object.entries(value)).flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member))
}

/** A parameter with `content`: JSON where the media type says so, else plain text. */
export function contentText(value: unknown, mediaType: string): string {
  return /[/+]json\b/i.test(mediaType) ? writeJson(value) : toText(value)
}
