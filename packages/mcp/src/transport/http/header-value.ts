// MCP 2026-07-28, Streamable HTTP, "Value Encoding": how a string travels in `Mcp-Name` and `Mcp-Param-*`.

const PREFIX = '=?base64?'
const SUFFIX = '?='
/** Visible ASCII with inner spaces only: what every HTTP stack passes on unchanged. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/
/** RFC 4648 section 4: the standard alphabet, padding required. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export type DecodedHeaderValue = { ok: true; value: string } | { ok: false }

/**
 * Makes a string safe for an HTTP header. Plain ASCII stays readable; anything that a header cannot carry, and
 * anything that looks like an encoded value already, becomes `=?base64?…?=`.
 *
 * @example
 * encodeHeaderValue('us-west1')     // 'us-west1'
 * encodeHeaderValue('Hello, 世界')   // '=?base64?SGVsbG8sIOS4lueVjA==?='
 */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !isEncoded(value)) return value
  return PREFIX + toBase64(new TextEncoder().encode(value)) + SUFFIX
}

/** Reads a header value back, without outer whitespace (RFC 9110, 5.5). `ok: false`: it is malformed. */
export function decodeHeaderValue(header: string): DecodedHeaderValue {
  const value = header.replace(/^[ \t]+|[ \t]+$/g, '')
  if (!isEncoded(value)) return isFieldContent(value) ? { ok: true, value } : { ok: false }
  const encoded = value.slice(PREFIX.length, -SUFFIX.length)
  if (!BASE64.test(encoded)) return { ok: false }
  const bytes = fromBase64(encoded)
  // Unused low bits would let two headers mean one value, and policies that compare headers would differ.
  if (toBase64(bytes) !== encoded) return { ok: false }
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { ok: false }
  }
}

function isEncoded(value: string): boolean {
  return value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX)
}

function isFieldContent(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value)
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
