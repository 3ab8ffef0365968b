import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { methodFacts } from './methods.ts'
import { META } from './meta-keys.ts'
import type { Revision } from './revisions.ts'
import { shapeContent, shapeDefinition, shapeImplementation } from './shape-parts.ts'
import type { Implementation } from './types.ts'

/** Gives a result the form of a revision: drops what came later, adds what is required, keeps the unknown. */
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
function withServerInfo(meta: unknown, serverInfo: Implementation): JsonObject {
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
  // Before 2026-07-28 structured content had to be an object; before 2025-06-18 there was none.
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
