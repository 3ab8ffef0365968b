import type { DocumentSet, Located } from '../document/document-set.ts'
import { isObject, own, ownArray, ownEntries, ownString } from '../own.ts'
import type { Warnings } from '../warnings.ts'
import type {
  Method,
  Operation,
  Parameter,
  RequestBody,
  Response,
  Security,
  ServerObject,
} from './operation.ts'
import { readBody } from './read-body.ts'
import { readParameter } from './read-parameter.ts'
import { readServers } from './read-servers.ts'
import { swaggerBody, swaggerContents, swaggerParameter } from './swagger.ts'

export interface ReadContext {
  readonly documents: DocumentSet
  readonly warnings: Warnings
  readonly isSwagger: boolean
  readonly servers: readonly ServerObject[]
}

export function readOperation(path: string, method: Method, item: Located, context: ReadContext): Operation {
  const key = `${method.toUpperCase()} ${path}`
  const source = own(item.value, method)
  const at: Located = { value: source, base: item.base }
  const raw = rawParameters(item, source, context)
  const servers = readServers(source)
  return {
    key,
    method,
    path,
    operationId: ownString(source, 'operationId'),
    tags: ownArray(source, 'tags').filter((tag): tag is string => typeof tag === 'string'),
    summary: ownString(source, 'summary') ?? ownString(item.value, 'summary'),
    description: ownString(source, 'description') ?? ownString(item.value, 'description'),
    deprecated: own(source, 'deprecated') === true,
    parameters: withPathParameters(key, path, readParameters(key, raw, context), item.base, context.warnings),
    body: bodyOf(key, method, at, raw, context),
    responses: readResponses(at, context),
    servers: servers.length > 0 ? servers : context.servers,
    security: readSecurity(own(source, 'security') ?? own(context.documents.root.value, 'security')),
  }
}

/** An operation's own parameters replace those of its path with the same name and place. */
function rawParameters(item: Located, operation: unknown, { documents, warnings }: ReadContext): Located[] {
  const found = new Map<string, Located>()
  for (const value of [...ownArray(item.value, 'parameters'), ...ownArray(operation, 'parameters')]) {
    const parameter = documents.follow({ value, base: item.base })
    const name = ownString(parameter?.value, 'name')
    const place = ownString(parameter?.value, 'in')
    if (name === undefined || place === undefined)
      warnings.add('a parameter without name or place was left out')
    else found.set(`${place} ${name}`, parameter!)
  }
  return [...found.values()]
}

function readParameters(key: string, raw: readonly Located[], context: ReadContext): Parameter[] {
  const read = context.isSwagger ? swaggerParameter : readParameter
  return raw.flatMap((parameter) => read(key, parameter, context.warnings) ?? [])
}

/** A template variable that nobody declared still has to be filled in; a declared one needs its variable. */
function withPathParameters(
  key: string,
  path: string,
  parameters: Parameter[],
  base: string,
  warnings: Warnings,
): Parameter[] {
  const variables = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]!))
  const kept = parameters.filter((parameter) => parameter.in !== 'path' || variables.has(parameter.name))
  for (const name of variables) {
    if (kept.some((parameter) => parameter.in === 'path' && parameter.name === name)) continue
    warnings.add(`the path variable {${name}} is not declared; it was taken to be a string`, key)
    const value = { name, in: 'path', required: true, schema: { type: 'string' } }
    const parameter = readParameter(key, { value, base }, warnings)
    if (parameter) kept.push(parameter)
  }
  return kept
}

function bodyOf(
  key: string,
  method: Method,
  at: Located,
  raw: readonly Located[],
  context: ReadContext,
): RequestBody | undefined {
  const body = context.isSwagger ? swaggerBody(raw, consumesOf(at, context)) : readBody(at, context.documents)
  if (body === undefined || (method !== 'get' && method !== 'head')) return body
  context.warnings.add('fetch cannot send a body with GET or HEAD; it was left out', key)
  return undefined
}

function readResponses(at: Located, context: ReadContext): Response[] {
  const responses: Response[] = []
  for (const [status, value] of ownEntries(own(at.value, 'responses'))) {
    const response = context.documents.follow({ value, base: at.base })
    if (response === undefined || status.startsWith('x-')) continue
    const contents = context.isSwagger
      ? swaggerContents(response, producesOf(at, context))
      : ownEntries(own(response.value, 'content')).map(([mediaType, media]) => ({
          mediaType,
          schema: isObject(own(media, 'schema'))
            ? { value: own(media, 'schema'), base: response.base }
            : undefined,
        }))
    responses.push({ status, description: ownString(response.value, 'description'), contents })
  }
  return responses
}

function readSecurity(value: unknown): Security {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).map((alternative) =>
    Object.entries(alternative).map(([scheme, scopes]) => ({
      scheme,
      scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    })),
  )
}

function consumesOf(at: Located, context: ReadContext): string[] {
  return mediaTypes(own(at.value, 'consumes') ?? own(context.documents.root.value, 'consumes'))
}

function producesOf(at: Located, context: ReadContext): string[] {
  return mediaTypes(own(at.value, 'produces') ?? own(context.documents.root.value, 'produces'))
}

function mediaTypes(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((type): type is string => typeof type === 'string') : []
}
