import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { keywordProblem, isSchema } from './check-keyword.ts'
import { IN_PLACE, subschemasOf, type Dialect } from './keywords.ts'
import { MAX_SUBSCHEMAS } from './limits.ts'
import { pointerTo, schemaError } from './schema-error.ts'
import { parseUrl } from '../protocol/index.ts'

/** A document that holds to its dialect, with the targets of every schema that refers to others. */
export interface CheckedSchema {
  readonly root: JsonObject
  readonly dialect: Dialect
  /** From a schema with `$ref` or `$dynamicRef` to what these mean: objects or booleans. */
  readonly references: ReadonlyMap<JsonObject, readonly unknown[]>
}

interface Walk extends Entrances {
  readonly dialect: Dialect
  readonly isLenient: boolean
  readonly places: Map<JsonObject, { pointer: string; base: string }>
  readonly dynamicAnchors: Set<string>
}

/**
 * Checks a copied document by hand: the shapes of keywords, the bounds, and that every reference stays inside.
 * Throws `invalid_definition`. Loading a validator for this would cost every server its start-up time.
 *
 * `lenient` is for peers' schemas: it admits `items` as a list in 2020-12 documents too, as draft-07 had it, and
 * expressions that can be matched only in part.
 */
export function checkSchema(root: JsonObject, options: { lenient?: boolean } = {}): CheckedSchema {
  const dialect = dialectOf(root.$schema, '')
  const walk: Walk = {
    dialect,
    isLenient: options.lenient === true,
    places: new Map(),
    resources: new Map([[DOCUMENT_BASE, root]]),
    anchors: new Map(),
    dynamicAnchors: new Set(),
  }
  visit(root, '', DOCUMENT_BASE, walk)
  const references = resolveAll(walk)
  refuseLoops(walk, references)
  return { root, dialect, references }
}

function dialectOf(uri: unknown, pointer: string): Dialect {
  if (uri === undefined) return '2020-12'
  if (typeof uri === 'string') {
    if (/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(uri)) return '2020-12'
    if (/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(uri)) return 'draft-07'
  }
  throw schemaError(
    pointer,
    `the dialect ${JSON.stringify(uri)} is not supported; use JSON Schema 2020-12 (the default) or draft-07`,
  )
}

function visit(schema: JsonObject, pointer: string, outerBase: string, walk: Walk): void {
  if (walk.places.size >= MAX_SUBSCHEMAS) throw schemaError('', `more than ${MAX_SUBSCHEMAS} subschemas`)
  for (const [keyword, value] of Object.entries(schema)) {
    const problem = keywordProblem(keyword, value, walk.dialect, walk.isLenient)
    if (problem !== undefined) throw schemaError(pointer, problem)
  }
  if (Array.isArray(schema.items) && walk.dialect === '2020-12' && !walk.isLenient) {
    throw schemaError(pointer, '"items" must be one schema in 2020-12; a tuple is written with "prefixItems"')
  }
  if (schema.$schema !== undefined && dialectOf(schema.$schema, pointer) !== walk.dialect) {
    throw schemaError(pointer, 'a document in two dialects is not supported')
  }
  const base = register(schema, pointer, outerBase, walk)
  walk.places.set(schema, { pointer, base })
  for (const { keyword, key, value } of subschemasOf(schema, walk.dialect)) {
    if (!isJsonObject(value)) continue
    const place = pointerTo(pointer, keyword)
    visit(value, key === undefined ? place : pointerTo(place, key), base, walk)
  }
}

/** Notes the schema's own names, and returns the base that references inside it are resolved against. */
function register(schema: JsonObject, pointer: string, outerBase: string, walk: Walk): string {
  let base = outerBase
  // Draft-07: beside `$ref` nothing counts, an `$id` included.
  const hasId = walk.dialect === '2020-12' || schema.$ref === undefined
  if (typeof schema.$id === 'string' && hasId) {
    const id = resolveUri(schema.$id, outerBase)
    if (id === undefined) throw schemaError(pointer, `"$id" ${JSON.stringify(schema.$id)} is not a URI`)
    if (id.fragment === '') {
      base = id.uri
      addName(walk.resources, base, schema, pointer)
    } else if (walk.dialect === 'draft-07') {
      addName(walk.anchors, `${base}#${id.fragment}`, schema, pointer)
    } else {
      throw schemaError(pointer, '"$id" must not have a fragment; name a subschema with "$anchor"')
    }
  }
  for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
    if (typeof anchor === 'string') addName(walk.anchors, `${base}#${anchor}`, schema, pointer)
  }
  if (typeof schema.$dynamicAnchor === 'string') {
    // With one resource per name a dynamic reference means the same as a plain reference. Two resources would need
    // run-time scopes.
    if (walk.dynamicAnchors.has(schema.$dynamicAnchor)) {
      throw schemaError(pointer, 'the same "$dynamicAnchor" in two resources is not supported')
    }
    walk.dynamicAnchors.add(schema.$dynamicAnchor)
  }
  return base
}

function addName(names: Map<string, JsonObject>, name: string, schema: JsonObject, pointer: string): void {
  const holder = names.get(name)
  if (holder !== undefined && holder !== schema) {
    throw schemaError(pointer, `the name ${JSON.stringify(name.replace(DOCUMENT_BASE, ''))} is given twice`)
  }
  names.set(name, schema)
}

function resolveAll(walk: Walk): Map<JsonObject, unknown[]> {
  const references = new Map<JsonObject, unknown[]>()
  // A pointer may lead below an unknown keyword; `visit` then appends to `places` for this loop.
  for (const [schema, { pointer, base }] of walk.places) {
    const targets: unknown[] = []
    for (const reference of [schema.$ref, walk.dialect === '2020-12' ? schema.$dynamicRef : undefined]) {
      if (typeof reference !== 'string') continue
      const target = resolveReference(reference, base, walk, pointer)
      if (isJsonObject(target) && !walk.places.has(target)) visit(target, `${pointer}/$ref`, base, walk)
      targets.push(target)
    }
    if (targets.length > 0) references.set(schema, targets)
  }
  return references
}

/** Refuses references that come back to their start without going into the value: they would never end. */
function refuseLoops(walk: Walk, references: Map<JsonObject, unknown[]>): void {
  const state = new Map<unknown, 'open' | 'done'>()
  const enter = (schema: unknown): void => {
    if (!isJsonObject(schema) || state.get(schema) === 'done') return
    if (state.get(schema) === 'open') {
      throw schemaError(
        walk.places.get(schema)?.pointer ?? '',
        'refers to itself for the same value, without end',
      )
    }
    state.set(schema, 'open')
    for (const target of references.get(schema) ?? []) enter(target)
    for (const { keyword, value } of subschemasOf(schema, walk.dialect))
      if (IN_PLACE.has(keyword)) enter(value)
    state.set(schema, 'done')
  }
  for (const schema of references.keys()) enter(schema)
}

/** The base of documents without an `$id`. The name can never be looked up (RFC 2606), and nothing here tries. */
const DOCUMENT_BASE = 'https://schema.invalid/'

/** The resources of a document by absolute URI, and their anchors as `uri#anchor`. */
interface Entrances {
  readonly resources: Map<string, JsonObject>
  readonly anchors: Map<string, JsonObject>
}

/** Resolves a URI reference against a base, without its fragment; `undefined` when it cannot be parsed. */
function resolveUri(reference: string, base: string): { uri: string; fragment: string } | undefined {
  const url = parseUrl(reference, base)
  if (url === undefined) return undefined
  const fragment = url.hash.slice(1)
  url.hash = ''
  return { uri: url.href, fragment }
}

/** Finds what a `$ref` means in the document; nothing is fetched (2026-07-28, basic). */
function resolveReference(reference: string, base: string, entrances: Entrances, pointer: string): unknown {
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
