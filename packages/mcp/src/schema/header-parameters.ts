import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import type { JsonSchema } from '../protocol/index.ts'
import { formatPath } from './issues.ts'
import { subschemasOf } from './keywords.ts'

export interface HeaderParameter {
  readonly path: readonly string[]
  /** The name after `Mcp-Param-`, as the schema spells it. */
  readonly header: string
  readonly type: 'string' | 'integer' | 'boolean'
}

export type HeaderParameters =
  | { readonly ok: true; readonly parameters: readonly HeaderParameter[] }
  | { readonly ok: false; readonly reason: string }

const ANNOTATION = 'x-mcp-header'
/** RFC 9110, section 5.6.2: `1*tchar`. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

interface Place {
  readonly schema: JsonObject
  readonly path: readonly string[]
  /** Reached from the root by `properties` alone. */
  readonly isReachable: boolean
}

/** Collects `x-mcp-header` annotations (2026-07-28, Streamable HTTP). A single violation makes the tool unusable. */
export function headerParameters(inputSchema: JsonSchema): HeaderParameters {
  const parameters: HeaderParameter[] = []
  const taken = new Map<string, string>()
  // A list of places to look at, not recursion: the schema comes from a peer and may be nested at will.
  const places: Place[] = [{ schema: inputSchema, path: [], isReachable: true }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (Object.hasOwn(place.schema, ANNOTATION)) {
      const parameter = parameterAt(place)
      if (typeof parameter === 'string') return { ok: false, reason: `${describe(place)}: ${parameter}` }
      const other = taken.get(parameter.header.toLowerCase())
      if (other !== undefined) {
        return { ok: false, reason: `${describe(place)}: "${parameter.header}" is already used by ${other}` }
      }
      taken.set(parameter.header.toLowerCase(), describe(place))
      parameters.push(parameter)
    }
    for (const below of placesBelow(place).reverse()) places.push(below)
  }
  return { ok: true, parameters }
}

/** The parameter, or what the annotation violates. */
function parameterAt({ schema, path, isReachable }: Place): HeaderParameter | string {
  if (!isReachable || path.length === 0) {
    return `"${ANNOTATION}" is allowed only on properties that are reached by "properties" alone`
  }
  const { [ANNOTATION]: header, type } = schema
  if (typeof header !== 'string' || header === '') return `"${ANNOTATION}" must be a string that is not empty`
  if (!TOKEN.test(header)) return `"${ANNOTATION}" ${JSON.stringify(header)} is not an HTTP token`
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return `"${ANNOTATION}" needs the type string, integer or boolean, not ${JSON.stringify(type) ?? 'none'}`
  }
  return { path, header, type }
}

function placesBelow(place: Place): Place[] {
  const below: Place[] = []
  for (const { keyword, key, value } of subschemasOf(place.schema, '2020-12')) {
    if (!isJsonObject(value)) continue
    const isProperty = keyword === 'properties'
    const path = isProperty ? [...place.path, String(key)] : place.path
    below.push({ schema: value, path, isReachable: place.isReachable && isProperty })
  }
  return below
}

function describe({ path }: Place): string {
  return path.length === 0 ? 'the schema' : `"${formatPath(path)}"`
}
