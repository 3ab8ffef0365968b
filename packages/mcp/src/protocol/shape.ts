import {
  isJsonObject,
  type JsonObject,
  INVALID_PARAMS,
  ProtocolError,
  RESOURCE_NOT_FOUND,
  type JsonRpcError,
} from '../jsonrpc/index.ts'
import { methodFacts, META, type Revision } from './revisions.ts'
import type { Implementation } from './types.ts'

/** Gives a result the form of a revision. Drops members of later revisions, adds required ones, keeps unknown ones. */
export function shapeResult(
  method: string,
  result: JsonObject,
  revision: Revision,
  serverInfo: Implementation | undefined,
): JsonObject {
  return revision >= '2026-07-28'
    ? shapeModern(method, result, serverInfo)
    : shapeLegacy(method, result, revision)
}

function shapeModern(method: string, result: JsonObject, serverInfo: Implementation | undefined): JsonObject {
  const shaped: JsonObject = { resultType: 'complete', ...result }
  if (methodFacts(method)?.cacheable) {
    shaped.ttlMs ??= 0
    shaped.cacheScope ??= 'private'
  }
  if (serverInfo) shaped._meta = withServerInfo(shaped._meta, serverInfo)
  return shaped
}

/** Servers SHOULD name themselves in every result (2026-07-28, `_meta`); a relayed name stays. */
export function withServerInfo(meta: unknown, serverInfo: Implementation): JsonObject {
  if (!isJsonObject(meta)) return { [META.serverInfo]: serverInfo }
  return META.serverInfo in meta ? meta : { ...meta, [META.serverInfo]: serverInfo }
}

function shapeLegacy(method: string, result: JsonObject, revision: Revision): JsonObject {
  const shaped = withoutModernMembers(method, result)
  switch (method) {
    case 'tools/call':
    case 'tasks/result':
      return shapeToolResult(shaped, revision)
    case 'prompts/get':
      return revision >= '2025-06-18' ? shaped : shapeMessages(shaped, revision)
    case 'tools/list':
      return shapeList(shaped, 'tools', revision)
    case 'prompts/list':
      return shapeList(shaped, 'prompts', revision)
    case 'resources/list':
      return shapeList(shaped, 'resources', revision)
    case 'resources/templates/list':
      return shapeList(shaped, 'resourceTemplates', revision)
    default:
      return shaped
  }
}

function withoutModernMembers(method: string, result: JsonObject): JsonObject {
  const cacheable = methodFacts(method)?.cacheable === true
  const meta = result._meta
  const named = isJsonObject(meta) && META.serverInfo in meta
  const cached = cacheable && ('ttlMs' in result || 'cacheScope' in result)
  if (!('resultType' in result) && !cached && !named) return result
  const { resultType: _type, ...rest } = result
  if (cacheable) {
    delete rest.ttlMs
    delete rest.cacheScope
  }
  if (named) {
    const { [META.serverInfo]: _info, ...others } = meta
    if (Object.keys(others).length > 0) rest._meta = others
    else delete rest._meta
  }
  return rest
}

function shapeToolResult(result: JsonObject, revision: Revision): JsonObject {
  const structured = result.structuredContent
  // Before 2026-07-28 structured content had to be an object. Before 2025-06-18 it did not exist.
  const unfit = structured !== undefined && (revision < '2025-06-18' || !isJsonObject(structured))
  const old = revision < '2025-06-18'
  if (!unfit && !old) return result
  const shaped = { ...result }
  if (unfit) delete shaped.structuredContent
  if (old && Array.isArray(shaped.content)) {
    shaped.content = shaped.content.map((block) => shapeContent(block, revision))
  }
  return shaped
}

function shapeMessages(result: JsonObject, revision: Revision): JsonObject {
  if (!Array.isArray(result.messages)) return result
  const messages = result.messages.map((message) =>
    isJsonObject(message) ? { ...message, content: shapeContent(message.content, revision) } : message,
  )
  return { ...result, messages }
}

function shapeList(result: JsonObject, member: string, revision: Revision): JsonObject {
  const items = result[member]
  if (!Array.isArray(items)) return result
  return { ...result, [member]: items.map((item) => shapeDefinition(item, revision)) }
}

export function toInitializeResult(
  discovery: JsonObject,
  revision: Revision,
  serverInfo: Implementation,
): JsonObject {
  const result: JsonObject = {
    protocolVersion: revision,
    capabilities: shapeCapabilities(discovery.capabilities, revision),
    serverInfo: shapeImplementation(serverInfo, revision),
  }
  if (typeof discovery.instructions === 'string') result.instructions = discovery.instructions
  return result
}

function shapeCapabilities(capabilities: unknown, revision: Revision): JsonObject {
  const shaped = isJsonObject(capabilities) ? { ...capabilities } : {}
  if (revision < '2025-03-26') delete shaped.completions
  if (revision < '2025-11-25') delete shaped.extensions
  return shaped
}

/** Members of tools, prompts, resources and templates, with the revision that brought them. */
const DEFINITION_MEMBERS: readonly (readonly [member: string, since: Revision])[] = [
  ['icons', '2025-11-25'],
  ['title', '2025-06-18'],
  ['outputSchema', '2025-06-18'],
  ['_meta', '2025-06-18'],
]

function shapeDefinition(item: unknown, revision: Revision): unknown {
  if (!isJsonObject(item)) return item
  const shaped = { ...item }
  for (const [member, since] of DEFINITION_MEMBERS) {
    if (revision < since) delete shaped[member]
  }
  // Tool annotations came with 2025-03-26; resources always had theirs.
  if (revision < '2025-03-26' && 'inputSchema' in item) delete shaped.annotations
  if (!isLegacyOutputSchema(shaped.outputSchema)) delete shaped.outputSchema
  if (revision < '2025-06-18' && Array.isArray(shaped.arguments)) {
    shaped.arguments = shaped.arguments.map(withoutTitle)
  }
  return shaped
}

/** Until 2025-11-25 an output schema's root had to be an object. */
function isLegacyOutputSchema(schema: unknown): boolean {
  return schema === undefined || (isJsonObject(schema) && schema.type === 'object')
}

function withoutTitle(argument: unknown): unknown {
  if (!isJsonObject(argument)) return argument
  const { title: _title, ...rest } = argument
  return rest
}

/** Content that a revision has no type for becomes the nearest thing it has, so that nothing is lost. */
function shapeContent(block: unknown, revision: Revision): unknown {
  if (!isJsonObject(block)) return block
  const { _meta, ...content } = block
  if (content.type === 'resource_link' && revision < '2025-06-18') {
    return { type: 'text', text: describeLink(content) }
  }
  if (content.type === 'audio' && revision < '2025-03-26') {
    const { data, mimeType } = content
    return { type: 'resource', resource: { uri: 'audio:inline', mimeType, blob: data } }
  }
  return revision < '2025-06-18' ? content : block
}

function describeLink(link: JsonObject): string {
  const label = link.title ?? link.name
  return label === undefined ? String(link.uri) : `${String(label)}: ${String(link.uri)}`
}

function shapeImplementation(info: Implementation, revision: Revision): JsonObject {
  const { title, description, websiteUrl, icons, ...rest } = info
  const shaped: JsonObject = { ...rest }
  if (title !== undefined && revision >= '2025-06-18') shaped.title = title
  if (revision < '2025-11-25') return shaped
  if (description !== undefined) shaped.description = description
  if (websiteUrl !== undefined) shaped.websiteUrl = websiteUrl
  if (icons !== undefined) shaped.icons = icons
  return shaped
}

/** A task as 2025-11-25 has it; what came later, results and questions among it, is left out. */
export function shapeTask(task: JsonObject): JsonObject {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttl: ttlMs,
    ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }),
  }
}

/** Params or a result that name the task they belong to (2025-11-25, Tasks, Related Task Metadata). */
export function withRelatedTask(value: JsonObject | undefined, taskId: string): JsonObject {
  const meta = isJsonObject(value?._meta) ? value._meta : {}
  return { ...value, _meta: { ...meta, [META.relatedTask]: { taskId } } }
}

/** A result as it is between the edges, where the outcome has its type. */
export function withoutResultType({ resultType: _, ...result }: JsonObject): JsonObject {
  return result
}

/** Methods that fail when there is no resource with the URI that they name. */
const BY_URI: ReadonlySet<string> = new Set([
  'resources/read',
  'resources/directory/read',
  'resources/subscribe',
  'skills/get',
])

/** The error "resource not found" in the form that all code between the edges uses. */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Resource not found: ${uri}`, { uri })
}

/** Whether an error means that there is no such resource, in the terms of any revision. */
export function isResourceNotFound(method: string, { code, data }: JsonRpcError): boolean {
  if (!BY_URI.has(method)) return false
  return (
    code === RESOURCE_NOT_FOUND ||
    (code === INVALID_PARAMS && isJsonObject(data) && typeof data.uri === 'string')
  )
}

/** Gives an error the code that a revision has for it: −32002 until 2025-11-25, −32602 since (changelog). */
export function shapeError(method: string, error: JsonRpcError, revision: Revision): JsonRpcError {
  if (!isResourceNotFound(method, error)) return error
  const code = revision >= '2026-07-28' ? INVALID_PARAMS : RESOURCE_NOT_FOUND
  return error.code === code ? error : { ...error, code }
}
