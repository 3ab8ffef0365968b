import { isJsonObject, JsonNumber } from '../jsonrpc/index.ts'

/** Base64 of bytes; a string is taken to be base64 already. */
export function toBase64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data
  let binary = ''
  // Chunks keep the argument count of fromCharCode within what engines allow.
  for (let at = 0; at < data.length; at += 0x8000) {
    binary += String.fromCharCode(...data.subarray(at, at + 0x8000))
  }
  return btoa(binary)
}

export function toBase64Url(data: Uint8Array): string {
  return toBase64(data).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Strict: undefined for anything that `toBase64Url` would not have written. */
export function fromBase64Url(value: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(value)) return undefined
  try {
    return fromBase64(value.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}

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

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

interface Mirrored {
  readonly path: readonly string[]
  readonly header: string
}

/** The `Mcp-Param-*` headers of a call, in plain values: what sends them encodes them (2026-07-28, basic/transports). */
export function mirrorArguments(
  parameters: readonly Mirrored[],
  args: unknown,
): Record<string, string> | undefined {
  if (parameters.length === 0) return undefined
  const headers: Record<string, string> = {}
  for (const { header, path } of parameters) {
    const value = argumentAt(args, path)
    if (['string', 'number', 'boolean', 'bigint'].includes(typeof value) || value instanceof JsonNumber)
      headers[`mcp-param-${header.toLowerCase()}`] = String(value)
  }
  return headers
}

/** The value at the exact path of the annotated property, own members only. */
export function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value = args
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}
