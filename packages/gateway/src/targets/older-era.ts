import type { Exchange } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import type { Link } from './link.ts'

/** Whether a call may lead to questions that a dual-era server asks of legacy clients only. */
export function mayBeAsked({ ask, client, method }: Exchange): boolean {
  if (!ask || client.version >= '2026-07-28') return false
  const { elicitation, sampling, roots } = client.capabilities
  const isAsking = method === 'tools/call' || method === 'prompts/get' || method === 'resources/read'
  return isAsking && (elicitation ?? sampling ?? roots) !== undefined
}

/** Whether the server has the older era too. The configuration may insist on the one that is used. */
export function hasOlderEra({ kind, era }: TargetModel, link: Link): boolean {
  if (era !== 'auto' || (kind !== 'stdio' && kind !== 'url') || link.era !== 'modern') return false
  return link.discovery.supportedVersions.some((version) => version < '2026-07-28')
}
