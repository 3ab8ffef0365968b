import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { META } from './meta-keys.ts'
import type { Revision } from './revisions.ts'
import type { Implementation } from './types.ts'

/** Members of tools, prompts, resources and templates, with the revision that brought them. */
const DEFINITION_MEMBERS: readonly (readonly [member: string, since: Revision])[] = [
  ['icons', '2025-11-25'],
  ['title', '2025-06-18'],
  ['outputSchema', '2025-06-18'],
  ['_meta', '2025-06-18'],
]

export function shapeDefinition(item: unknown, revision: Revision): unknown {
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
export function shapeContent(block: unknown, revision: Revision): unknown {
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

export function shapeImplementation(info: Implementation, revision: Revision): JsonObject {
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

/** A result as it is inside, where its type is that of the outcome. */
export function withoutResultType({ resultType: _, ...result }: JsonObject): JsonObject {
  return result
}
