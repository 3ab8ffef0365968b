import type { Schema } from '@cfworker/json-schema'
import { adminSchema, schemaOf } from './check-request.ts'
import { ROUTES, type JsonObject, type RouteInfo, type RouteName } from './contract.ts'

/** Describes the admin API for programs: the route table and the contract's types as OpenAPI 3.1. */
export function createOpenApi(version: string, url: string): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, RouteInfo][]) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operation(name, route)
  }
  const { Routes: _, ...definitions } = adminSchema().definitions
  return relocate({
    openapi: '3.1.0',
    info: {
      title: 'Gantry admin API',
      version,
      description: 'What the console and the command line use.',
    },
    servers: [{ url }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ...definitions, ApiFailure: FAILURE },
    },
  }) as JsonObject
}

const FAILURE = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        fix: { type: 'string', description: 'What to do about it.' },
        details: { type: 'object' },
      },
    },
  },
} as const

function operation(name: RouteName, route: RouteInfo): JsonObject {
  const body = schemaOf(name, 'body')
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.path.split('/')[2]],
    parameters: [...parameters(name, 'params', 'path'), ...parameters(name, 'query', 'query')],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      200: { description: 'It worked.', content: content(name, route) },
      default: {
        description: 'It did not; the error says why and what to do.',
        content: { 'application/json': { schema: { $ref: '#/definitions/ApiFailure' } } },
      },
    },
  }
}

function content(name: RouteName, route: RouteInfo): JsonObject {
  if (route.answers === 'events') return { 'text/event-stream': { schema: { type: 'string' } } }
  if (route.answers === 'lines') return { 'application/jsonl': { schema: { type: 'string' } } }
  return { 'application/json': { schema: schemaOf(name, 'reply') ?? {} } }
}

function parameters(name: RouteName, part: 'params' | 'query', place: 'path' | 'query'): JsonObject[] {
  const schema = schemaOf(name, part)
  const required = new Set(Array.isArray(schema?.required) ? schema.required : [])
  return Object.entries((schema?.properties ?? {}) as Record<string, Schema>).map(
    ([key, { description, ...type }]) => ({
      name: key,
      in: place,
      required: required.has(key),
      ...(description !== undefined && { description }),
      schema: type,
    }),
  )
}

/** Schemas are elsewhere in an OpenAPI document than in a JSON Schema. */
function relocate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocate)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string'
        ? part.replace('#/definitions/', '#/components/schemas/')
        : relocate(part),
    ]),
  )
}
