import type { Complete, Exchange } from '../../exchange/index.ts'
import { McpError, type JsonObject } from '../../jsonrpc/index.ts'
import type { Resource } from '../../protocol/index.ts'
import type { ResourceList, ServerOptions } from '../definitions/server-options.ts'
import type { Context } from '../questions/context.ts'
import type { Questions } from '../questions/questions.ts'

export interface ListingHost {
  readonly handler: NonNullable<ServerOptions['resourcesListHandler']>
  registered(): Complete | undefined
  context(questions: () => Questions): Context
}

/** The beginning of cursors that are the handler's own. Cursors of registered entries have no colon. */
const OWN = 'handler:'

/**
 * What is registered, page by page, and behind it what the author's handler lists for this request. Loaded by servers
 * that have such a handler, so it imports little of what all servers load.
 */
export async function listResources({ params }: Exchange, host: ListingHost): Promise<Complete> {
  const given = params.cursor
  const cursor = typeof given === 'string' && given.startsWith(OWN) ? given.slice(OWN.length) : undefined
  const page = cursor === undefined ? host.registered() : undefined
  if (page?.result.nextCursor !== undefined) return page
  const context = host.context(() => {
    throw new McpError('unsupported', 'A list cannot ask its caller anything')
  })
  const { resources, nextCursor } = read(await host.handler({ ...params, cursor }, context))
  const before = (page?.result.resources ?? []) as Resource[]
  // A list that was made for one caller must not be shown to others.
  const { cacheScope: _scope, ...facts } = page?.result ?? {}
  const result: JsonObject = { ...facts, resources: [...before, ...resources] }
  if (nextCursor !== undefined) result.nextCursor = OWN + nextCursor
  return { type: 'complete', result }
}

function read(answer: ResourceList): { resources: Resource[]; nextCursor?: string | undefined } {
  const { resources, nextCursor } = Array.isArray(answer)
    ? { resources: answer }
    : (answer as Exclude<ResourceList, readonly unknown[]>)
  if (!Array.isArray(resources)) {
    throw new McpError('invalid_output', 'resourcesListHandler returned neither resources nor { resources }')
  }
  return { resources: resources.map(named), nextCursor }
}

function named(resource: Partial<Resource>): Resource {
  const { uri } = resource
  if (typeof uri !== 'string') {
    throw new McpError('invalid_output', 'resourcesListHandler returned a resource without a uri')
  }
  return { name: uri, ...resource, uri }
}
