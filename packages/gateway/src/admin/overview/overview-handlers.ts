import type { AdminHost } from '../admin-host.ts'
import type { Clients } from '../clients/client-list.ts'
import type { ConfigEditor } from '../config/config-editor.ts'
import type { EntryCounts, GatewayInfo, Overview, TargetCard } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import type { TargetCards } from '../targets/target-cards.ts'
import { toTrafficStats } from '../targets/target-stats.ts'
import { createSnippets } from './snippets.ts'

export interface OverviewSources {
  readonly host: AdminHost
  readonly cards: TargetCards
  readonly clients: Clients
  readonly editor: ConfigEditor
}

export function overviewHandlers(sources: OverviewSources): Pick<Handlers, 'session' | 'overview'> {
  return {
    session: ({ caller }) => ({ principal: caller.principal, gateway: gatewayInfo(sources.host) }),
    overview: () => overview(sources),
  }
}

async function overview({ host, cards, clients, editor }: OverviewSources): Promise<Overview> {
  const { gateway, url, configFile, places } = host
  const targets = await cards.all()
  const needsKey = gateway.model.auth.required
  const endpoint = `${url}/mcp`
  return {
    gateway: gatewayInfo(host),
    endpoint: { mcp: endpoint, sse: `${url}/sse`, auth: needsKey ? 'required' : 'none' },
    snippets: createSnippets({ endpoint, needsKey, configFile: configFile?.file, places }),
    targets,
    total: toTrafficStats(gateway.view.total.summary()),
    counts: sum(targets),
    clients: clients.count,
    inFlight: inFlight(host),
    config: editor.status,
  }
}

function gatewayInfo({ gateway, url, version, startedAt, configFile }: AdminHost): GatewayInfo {
  const { name, title } = gateway.model.server
  const { rss, heapUsed } = process.memoryUsage()
  return {
    name,
    ...(title !== undefined && { title }),
    version,
    node: process.version,
    pid: process.pid,
    platform: process.platform,
    startedAt,
    url,
    ...(configFile && { configFile: configFile.file }),
    memory: { rss, heapUsed },
  }
}

/** Requests under way; clients that listen for changes do not count. */
export function inFlight({ gateway }: AdminHost): number {
  let count = 0
  for (const { method } of gateway.view.running) if (method !== 'subscriptions/listen') count++
  return count
}

function sum(targets: readonly TargetCard[]): EntryCounts {
  const total = { tools: 0, prompts: 0, resources: 0, templates: 0, tokens: 0 }
  for (const { counts } of targets) {
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key]
  }
  return total
}
