import { parseUrl } from '../protocol/index.ts'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { isSchema } from './check-keyword.ts'
import { schemaError } from './schema-error.ts'

/** The base of documents without an `$id`. The name can never be looked up (RFC 2606), and nothing here tries. */
export const DOCUMENT_BASE = 'https://schema.invalid/'

/** What a document can be entered at: its resources by absolute URI, and their anchors as `uri#anchor`. */
export interface Entrances {
  readonly resources: Map<string, JsonObject>
  readonly anchors: Map<string, JsonObject>
}

/** Resolves a URI reference against a base, without its fragment; `undefined` when it cannot be parsed. */
export function resolveUri(reference: string, base: string): { uri: string; fragment: string } | undefined {
  const url = parseUrl(reference, base)
  if (url === undefined) return undefined
  const fragment = url.hash.slice(1)
  url.hash = ''
  return { uri: url.href, fragment }
}

/**
 * Finds what a `$ref` means, in the document alone: nothing is ever fetched (MCP 2026-07-28, basic, "`$ref`
 * Resolution").
 */
export function resolveReference(
  reference: string,
  base: string,
  entrances: Entrances,
  pointer: string,
): unknown {
  const resolved = resolveUri(reference, base)
  if (resolved === undefined)
    throw schemaError(pointer, `the reference ${JSON.stringify(reference)} is not a URI`)
  const { uri, fragment } = resolved
  const resource = entrances.resources.get(uri)
  if (resource === undefined) {
    throw schemaError(
      pointer,
      `the reference ${JSON.stringify(reference)} points outside the document; remote schemas are never fetched, move it into "$defs"`,
    )
  }
  const target = fragment.startsWith('/')
    ? followPointer(resource, fragment)
    : fragment === ''
      ? resource
      : entrances.anchors.get(`${uri}#${decode(fragment)}`)
  if (!isSchema(target)) {
    throw schemaError(
      pointer,
      `the reference ${JSON.stringify(reference)} leads to no schema in the document`,
    )
  }
  return target
}

function followPointer(resource: JsonObject, fragment: string): unknown {
  let value: unknown = resource
  for (const part of fragment.slice(1).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
