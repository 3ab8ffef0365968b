import { LiveExchange, type Served } from '@gantry/mcp/exchange'
import { McpError } from '@gantry/mcp/client'
import type { Discovery } from '@gantry/mcp/server'
import type { Link } from './link.ts'

/** A server in this process needs no wire: exchanges go to it as they are. */
export async function inProcessLink(served: Served): Promise<Link> {
  const probe = new LiveExchange({
    method: 'server/discover',
    params: {},
    client: { capabilities: {}, version: '2026-07-28' },
  })
  const outcome = await served.respond(probe)
  if (outcome.type !== 'complete')
    throw new McpError('bad_response', `${served.info.name} cannot be discovered`)
  return {
    era: 'modern',
    version: '2026-07-28',
    discovery: outcome.result as unknown as Discovery,
    transport: 'in process',
    handle: served.respond,
    onClose: undefined,
    async close() {},
  }
}
