import type { Located } from '../document/document-set.ts'
import type { JsonObject } from '@gantry/mcp/server'

// One operation, the same whether it came from Swagger 2.0, OpenAPI 3.0 or 3.1.

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch'
export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie'
export type ParameterStyle =
  | 'form'
  | 'simple'
  | 'label'
  | 'matrix'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'

export interface Encoding {
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly allowReserved: boolean
  /** Set when the value is serialised as this media type instead of by style. */
  readonly mediaType?: string | undefined
}

export interface Parameter extends Encoding {
  readonly name: string
  readonly in: ParameterPlace
  readonly required: boolean
  readonly description: string | undefined
  readonly deprecated: boolean
  readonly example: unknown
  readonly schema: Located
}

export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary'

export interface RequestBody {
  readonly kind: BodyKind
  readonly mediaType: string
  readonly required: boolean
  readonly description: string | undefined
  readonly schema: Located | undefined
  /** For the properties of forms. A property without an encoding is written as its value suggests. */
  readonly encodings: ReadonlyMap<string, Partial<Encoding>>
}

export interface ResponseContent {
  readonly mediaType: string
  readonly schema: Located | undefined
}

export interface Response {
  /** `200`, `2XX` or `default`. */
  readonly status: string
  readonly description: string | undefined
  readonly contents: readonly ResponseContent[]
}

/** Alternatives, each a set of scheme names that go together with the scopes they need. */
export type Security = readonly (readonly { readonly scheme: string; readonly scopes: readonly string[] }[])[]

export interface Operation {
  /** `GET /pets/{id}`: unique in a description, unlike `operationId` in practice. */
  readonly key: string
  readonly method: Method
  readonly path: string
  readonly operationId: string | undefined
  readonly tags: readonly string[]
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly deprecated: boolean
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | undefined
  readonly responses: readonly Response[]
  readonly servers: readonly ServerObject[]
  readonly security: Security
}

export interface ServerObject {
  readonly url: string
  readonly variables: JsonObject
}
