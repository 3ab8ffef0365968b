import { McpError } from '@gantry/mcp/client'
import type { DocumentSet, Located } from '../document/document-set.ts'
import type { JsonObject } from '../mcp.ts'
import { isObject, own, ownArray, ownEntries, ownString } from '../own.ts'
import type { Warnings } from '../warnings.ts'
import type { Method, Operation } from './operation.ts'
import { readOperation } from './read-operation.ts'
import { readServers } from './read-servers.ts'
import { swaggerServers } from './swagger.ts'

/** What a description says, before any choice is made. */
export interface Description {
  readonly title: string
  readonly version: string
  readonly about: string | undefined
  readonly tags: ReadonlyMap<string, string>
  readonly operations: readonly Operation[]
  readonly securitySchemes: ReadonlyMap<string, JsonObject>
}

const METHODS: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

/** Reads a whole description. Parts that make no sense are warnings; only a document that is none throws. */
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
    if (item === undefined || !isObject(item.value)) {
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
    return METHODS.filter((method) => isObject(own(item.value, method))).map((method) =>
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
      if (isObject(scheme)) found.set(name, scheme)
    }
    return found
  }
}

function versionOf(root: unknown): 'swagger' | 'openapi' {
  if (!isObject(root))
    throw new McpError('invalid_config', 'the document is not an OpenAPI description: it is no object')
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
