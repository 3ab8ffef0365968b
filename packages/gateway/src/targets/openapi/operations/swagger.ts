import type { Located } from '../document/document-set.ts'
import type { JsonObject } from '@gantry/mcp/server'
import { own, ownArray, ownString } from '../own.ts'
import type { Warnings } from '../warnings.ts'
import type {
  Encoding,
  Parameter,
  ParameterStyle,
  RequestBody,
  ResponseContent,
  ServerObject,
} from './operation.ts'
import { bodyKind } from './read-body.ts'
import { readParameter } from './read-parameter.ts'

// Swagger 2.0 has the same ideas in other places: types, bodies, media types and servers.

const NOT_SCHEMA = new Set(['name', 'in', 'required', 'description', 'collectionFormat', 'allowEmptyValue'])

export function swaggerServers(root: unknown, base: string): ServerObject[] {
  const host = ownString(root, 'host')
  const path = ownString(root, 'basePath') ?? ''
  if (host === undefined) return [{ url: path || '/', variables: {} }]
  const schemes = ownArray(root, 'schemes').filter((scheme) => scheme === 'https' || scheme === 'http')
  const own = /^(https?):/.exec(base)?.[1] ?? 'https'
  const scheme = schemes.includes('https') ? 'https' : (schemes[0] ?? own)
  return [{ url: `${scheme}://${host}${path}`, variables: {} }]
}

/** Undefined for `body` and `formData`, which {@link swaggerBody} takes. */
export function swaggerParameter(key: string, at: Located, warnings: Warnings): Parameter | undefined {
  const place = own(at.value, 'in')
  if (place === 'body' || place === 'formData') return undefined
  const value = at.value as JsonObject
  const upgraded = { ...value, schema: schemaOf(value), ...styleOf(place, own(value, 'collectionFormat')) }
  return readParameter(key, { value: upgraded, base: at.base }, warnings)
}

export function swaggerBody(raw: readonly Located[], consumes: readonly string[]): RequestBody | undefined {
  const body = raw.find((parameter) => own(parameter.value, 'in') === 'body')
  if (body) {
    const mediaType = consumes.find((type) => bodyKind(type) === 'json') ?? consumes[0] ?? 'application/json'
    return {
      kind: bodyKind(mediaType),
      mediaType,
      required: own(body.value, 'required') === true,
      description: ownString(body.value, 'description'),
      schema: { value: own(body.value, 'schema') ?? {}, base: body.base },
      encodings: new Map(),
    }
  }
  const fields = raw.filter((parameter) => own(parameter.value, 'in') === 'formData')
  return fields.length > 0 ? formBody(fields, consumes) : undefined
}

export function swaggerContents(response: Located, produces: readonly string[]): ResponseContent[] {
  const value = own(response.value, 'schema')
  if (value === undefined) return []
  if (own(value, 'type') === 'file') return [{ mediaType: 'application/octet-stream', schema: undefined }]
  const types = produces.length > 0 ? produces : ['application/json']
  return types.map((mediaType) => ({ mediaType, schema: { value, base: response.base } }))
}

function formBody(fields: readonly Located[], consumes: readonly string[]): RequestBody {
  const hasFile = fields.some((field) => own(field.value, 'type') === 'file')
  const multipart = hasFile || consumes.some((type) => bodyKind(type) === 'multipart')
  const encodings = new Map<string, Partial<Encoding>>()
  const properties: [string, JsonObject][] = []
  const required: string[] = []
  for (const { value } of fields) {
    const name = ownString(value, 'name')!
    properties.push([
      name,
      { ...schemaOf(value as JsonObject), description: ownString(value, 'description') ?? '' },
    ])
    if (own(value, 'required') === true) required.push(name)
    const format = own(value, 'collectionFormat')
    if (format !== undefined) encodings.set(name, { allowReserved: false, ...styleOf('query', format) })
  }
  return {
    kind: multipart ? 'multipart' : 'form',
    mediaType: multipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded',
    required: required.length > 0,
    description: undefined,
    schema: {
      value: { type: 'object', properties: Object.fromEntries(properties), required },
      base: fields[0]!.base,
    },
    encodings,
  }
}

function schemaOf(parameter: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(parameter).filter(([keyword]) => !NOT_SCHEMA.has(keyword)))
}

function styleOf(place: unknown, format: unknown): { style: ParameterStyle; explode: boolean } {
  if (place === 'path' || place === 'header') return { style: 'simple', explode: false }
  if (format === 'multi') return { style: 'form', explode: true }
  if (format === 'ssv') return { style: 'spaceDelimited', explode: false }
  if (format === 'pipes') return { style: 'pipeDelimited', explode: false }
  return { style: 'form', explode: false }
}
