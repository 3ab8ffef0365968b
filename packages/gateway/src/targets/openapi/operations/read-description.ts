import { McpError } from '@gantry/mcp/client'
import type { DocumentSet, Located } from '../document/document-set.ts'
import type { JsonObject } from '@gantry/mcp/server'
import { isJsonObject } from '@gantry/mcp/exchange'
import { own, ownArray, ownEntries, ownString, ownObject } from '../own.ts'
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
import { swaggerServers, swaggerBody, swaggerContents, swaggerParameter } from './swagger.ts'
import { readBody } from './read-body.ts'
import { readParameter } from './read-parameter.ts'

export interface Description {
  readonly title: string
  readonly version: string
  readonly about: string | undefined
  readonly tags: ReadonlyMap<string, string>
  readonly operations: readonly Operation[]
  readonly securitySchemes: ReadonlyMap<string, JsonObject>
}

const METHODS: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

/** Reads a whole description. Parts that make no sense are warnings; only a text that is not a document throws. */
export function readDescription(documents: DocumentSet, warnings: Warnings): Description {
  const { value: root, base } = documents.root
  const isSwagger = versionOf(root) === 'swagger'
  const servers = isSwagger ? swaggerServers(root, base) : readServers(root)
  const operations: Operation[] = []
  for (const [path, item] of ownEntries(own(root, 'paths'))) {
    if (path.startsWith('x-')) continue
    if (path.startsWith('/')) operations.push(...readPath(path, { value: item, base }))
    else warnings.add(`the path ${JSON.stringify(path)} does not start with "/"; it was left out`)
  }
  if (operations.length === 0) warnings.add('the description has no operations')
  return {
    title: ownString(own(root, 'info'), 'title') ?? 'api',
    version: String(own(own(root, 'info'), 'version') ?? '0'),
    about: ownString(own(root, 'info'), 'description'),
    tags: readTags(root),
    operations,
    securitySchemes: readSchemes(isSwagger),
  }

  function readPath(path: string, located: Located): Operation[] {
    const item = documents.follow(located)
    if (item === undefined || !isJsonObject(item.value)) {
      warnings.add(`the path ${JSON.stringify(path)} has no usable definition; it was left out`)
      return []
    }
    if (own(item.value, 'trace') !== undefined) warnings.add('fetch cannot send TRACE; left out', path)
    const pathServers = readServers(item.value)
    const context = {
      documents,
      warnings,
      isSwagger,
      servers: pathServers.length > 0 ? pathServers : servers,
    }
    return METHODS.filter((method) => isJsonObject(own(item.value, method))).map((method) =>
      readOperation(path, method, item, context),
    )
  }

  function readSchemes(swagger: boolean): Map<string, JsonObject> {
    const schemes = swagger
      ? own(root, 'securityDefinitions')
      : own(own(root, 'components'), 'securitySchemes')
    const found = new Map<string, JsonObject>()
    for (const [name, value] of ownEntries(schemes)) {
      const scheme = documents.follow({ value, base })?.value
      if (isJsonObject(scheme)) found.set(name, scheme)
    }
    return found
  }
}

function versionOf(root: unknown): 'swagger' | 'openapi' {
  if (!isJsonObject(root))
    throw new McpError('invalid_config', 'the document is not an OpenAPI description: it is not an object')
  if (/^3\./.test(String(own(root, 'openapi') ?? ''))) return 'openapi'
  if (String(own(root, 'swagger') ?? '').startsWith('2')) return 'swagger'
  const found = own(root, 'openapi') ?? own(root, 'swagger')
  const reason = found === undefined ? 'it has no "openapi" member' : `version ${JSON.stringify(found)}`
  throw new McpError(
    'invalid_config',
    `the document is not a usable OpenAPI description: ${reason} (3.0, 3.1 and Swagger 2.0 are supported)`,
  )
}

function readTags(root: unknown): Map<string, string> {
  const tags = new Map<string, string>()
  for (const tag of ownArray(root, 'tags')) {
    const name = ownString(tag, 'name')
    if (name !== undefined) tags.set(name, ownString(tag, 'description') ?? '')
  }
  return tags
}

interface ReadContext {
  readonly documents: DocumentSet
  readonly warnings: Warnings
  readonly isSwagger: boolean
  readonly servers: readonly ServerObject[]
}

function readOperation(path: string, method: Method, item: Located, context: ReadContext): Operation {
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

/** An operation's own parameters replace parameters of its path that have the same name and place. */
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

/**
 * A template variable that is not declared still has to be filled in. A declared path parameter must have its variable.
 */
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
          schema: isJsonObject(own(media, 'schema'))
            ? { value: own(media, 'schema'), base: response.base }
            : undefined,
        }))
    responses.push({ status, description: ownString(response.value, 'description'), contents })
  }
  return responses
}

function readSecurity(value: unknown): Security {
  if (!Array.isArray(value)) return []
  return value.filter(isJsonObject).map((alternative) =>
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

function readServers(holder: unknown): ServerObject[] {
  const servers: ServerObject[] = []
  for (const server of ownArray(holder, 'servers')) {
    const url = ownString(server, 'url')
    if (url !== undefined) servers.push({ url, variables: ownObject(server, 'variables') ?? {} })
  }
  return servers
}
