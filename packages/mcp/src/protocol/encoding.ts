import {
  canonicalJson,
  INVALID_PARAMS,
  isJsonObject,
  JsonNumber,
  jsonReader,
  type NumberMode,
  ProtocolError,
  writeJson,
} from '../jsonrpc/index.ts'
import { principalKey, type Principal } from './callers.ts'
import { requireSecret } from './require-secret.ts'

// Writes values as texts that peers carry for us: base64, header values and sealed texts.

interface NodeBuffer {
  from(memory: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string }
}

/** Base64 of bytes; a string is taken to be base64 already. */
export function toBase64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data
  // On Node `Buffer` takes a tenth of the time. Other runtimes have nothing like it.
  const { Buffer: node } = globalThis as { Buffer?: NodeBuffer }
  if (node) return node.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
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
    const bytes = fromBase64(value.replaceAll('-', '+').replaceAll('_', '/'))
    // With unused low bits two texts could mean the same value, and a text that was refused would be accepted in
    // another spelling.
    const end = bytes.subarray(bytes.length - (bytes.length % 3))
    return value.endsWith(toBase64Url(end)) ? bytes : undefined
  } catch {
    return undefined
  }
}

/**
 * The cursor of a list, which says where the next page begins. Clients must not read it (server/utilities/pagination).
 */
export function writeCursor(place: string): string {
  return toBase64Url(new TextEncoder().encode(place))
}

/** Reads a cursor by a pattern; undefined when there is no cursor. Throws when it does not match as a whole. */
export function readCursor(cursor: unknown, form: RegExp): RegExpExecArray | undefined {
  if (cursor === undefined) return undefined
  const bytes = typeof cursor === 'string' ? fromBase64Url(cursor) : undefined
  const found = bytes && form.exec(new TextDecoder().decode(bytes))
  if (!found) throw new ProtocolError(INVALID_PARAMS, 'Invalid params: unknown cursor')
  return found
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
  // With unused low bits two headers could mean the same value, and policies that compare headers would take them for
  // different values.
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

/**
 * The `Mcp-Param-*` headers of a call, with plain values. The transport encodes them when it sends them (2026-07-28,
 * basic/transports).
 */
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

const IV_BYTES = 12
const KEY_BYTES = 32
const KEY_ID_BYTES = 4

interface Key {
  readonly id: string
  readonly idBytes: Uint8Array
  readonly crypto: Promise<CryptoKey>
}

/** AES-256-GCM for state that clients hold. The first secret seals, all open; `binding` is authenticated. */
export class Sealer {
  readonly #secrets: readonly (string | Uint8Array)[]
  #keys: Promise<Key[]> | undefined

  constructor(secrets: readonly (string | Uint8Array)[] = []) {
    for (const secret of secrets) requireSecret(secret, 'A secret that seals')
    // Copied: the caller's bytes may be wiped before they are used.
    this.#secrets = secrets.map((secret) => (typeof secret === 'string' ? secret : secret.slice()))
  }

  async seal(payload: unknown, binding: string): Promise<string> {
    const key = (await this.#derived())[0]!
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const plain = new TextEncoder().encode(writeJson(payload))
    const algorithm = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(binding) }
    const cipher = new Uint8Array(await crypto.subtle.encrypt(algorithm, await key.crypto, plain))
    const sealed = new Uint8Array(KEY_ID_BYTES + IV_BYTES + cipher.length)
    sealed.set(key.idBytes, 0)
    sealed.set(iv, KEY_ID_BYTES)
    sealed.set(cipher, KEY_ID_BYTES + IV_BYTES)
    return toBase64Url(sealed)
  }

  /** Undefined when it was not sealed by us, for this binding, or was changed since. */
  async open(sealed: string, binding: string, numbers?: NumberMode): Promise<unknown> {
    const bytes = fromBase64Url(sealed)
    if (!bytes || bytes.length < KEY_ID_BYTES + IV_BYTES + 16) return undefined
    const id = toBase64Url(bytes.subarray(0, KEY_ID_BYTES))
    const key = (await this.#derived()).find((candidate) => candidate.id === id)
    if (!key) return undefined
    const iv = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES)
    const algorithm = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(binding) }
    try {
      const plain = await crypto.subtle.decrypt(
        algorithm,
        await key.crypto,
        bytes.subarray(KEY_ID_BYTES + IV_BYTES),
      )
      return jsonReader(numbers)(new TextDecoder().decode(plain))
    } catch {
      return undefined
    }
  }

  /**
   * Keys are derived at the first use: many servers never seal anything, and loading the cryptography would delay their
   * start.
   */
  #derived(): Promise<Key[]> {
    this.#keys ??= deriveKeys(this.#secrets)
    return this.#keys
  }
}

function deriveKeys(secrets: readonly (string | Uint8Array)[]): Promise<Key[]> {
  const used = secrets.length > 0 ? secrets : [crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
  return Promise.all(used.map(deriveKey))
}

async function deriveKey(secret: string | Uint8Array): Promise<Key> {
  const material = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret
  const digest = await crypto.subtle.digest('SHA-512', material as Uint8Array<ArrayBuffer>)
  const bytes = new Uint8Array(digest)
  const idBytes = bytes.slice(KEY_BYTES, KEY_BYTES + KEY_ID_BYTES)
  const raw = bytes.slice(0, KEY_BYTES)
  return {
    id: toBase64Url(idBytes),
    idBytes,
    crypto: crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']),
  }
}

/** The one binding of sealed sessions, tasks and states: same purpose, principal and facts. */
export function bindingOf(purpose: string, principal: Principal | undefined, ...facts: unknown[]): string {
  return canonicalJson([purpose, principalKey(principal), ...facts])
}
