import type { AdminHost } from '../admin-host.ts'
import type { Clients } from '../clients/client-list.ts'
import type { ConfigEditor } from '../config/config-editor.ts'
import type { EntryCounts, GatewayInfo, Load, LoadRange, Overview, TargetCard, Snippet } from '../contract.ts'
import { findTarget } from '../targets/find-target.ts'
import type { Handlers } from '../handlers.ts'
import { type TargetCards, toTrafficStats } from '../targets/target-cards.ts'
import { CLIENTS, gatewayEntry } from '../../config/import/index.ts'
import type { UserPlaces } from '../../config/index.ts'

export interface OverviewSources {
  readonly host: AdminHost
  readonly cards: TargetCards
  readonly clients: Clients
  readonly editor: ConfigEditor
}

export function overviewHandlers(sources: OverviewSources): Pick<Handlers, 'overview' | 'load'> {
  return {
    overview: () => overview(sources),
    load: ({ query }) => load(sources.host, query.range, query.target),
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
    total: toTrafficStats(gateway.exchanges.total.summary()),
    counts: sum(targets),
    clients: clients.count,
    hadClients: [...gateway.exchanges.clients.values()].some(({ reach }) => reach !== 'playground'),
    inFlight: inFlight(host),
    config: editor.status,
    hasAudit: gateway.audit !== undefined,
    store: { kind: gateway.store.kind, ...(gateway.store.away && { away: gateway.store.away }) },
  }
}

function load({ gateway }: AdminHost, range: LoadRange, target: string | undefined): Load {
  const { exchanges } = gateway
  if (target !== undefined) findTarget(gateway, target)
  if (range !== '10m') return { range, buckets: exchanges.load.of(range === '1h' ? 'hour' : 'day', target) }
  const stats = target === undefined ? exchanges.total : exchanges.statsOf(target)
  return { range, buckets: stats.summary().traffic }
}

export function gatewayInfo({ gateway, url, version, startedAt, configFile }: AdminHost): GatewayInfo {
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
  for (const { method } of gateway.exchanges.running) if (method !== 'subscriptions/listen') count++
  return count
}

function sum(targets: readonly TargetCard[]): EntryCounts {
  const total = { tools: 0, prompts: 0, resources: 0, templates: 0, tokens: 0 }
  for (const { counts } of targets) {
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key]
  }
  return total
}

interface SnippetFacts {
  readonly endpoint: string
  readonly needsKey: boolean
  readonly configFile: string | undefined
  readonly places: UserPlaces
}

/** Makes the snippets to paste into common clients. */
function createSnippets(facts: SnippetFacts): Snippet[] {
  const { endpoint, needsKey } = facts
  const header = needsKey ? ' --header "Authorization: Bearer YOUR_KEY"' : ''
  const curlHeader = needsKey ? ' \\\n  -H "Authorization: Bearer YOUR_KEY"' : ''
  const curlBody = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
  return [
    {
      client: 'claude-code',
      title: 'Claude Code',
      language: 'shell',
      text: `claude mcp add --transport http gantry ${endpoint}${header}`,
      where: 'In a terminal',
    },
    ...fileSnippets(facts),
    {
      client: 'inspector',
      title: 'MCP Inspector',
      language: 'shell',
      text: `npx @modelcontextprotocol/inspector --transport http --server-url ${endpoint}`,
      where: 'In a terminal',
    },
    {
      client: 'curl',
      title: 'curl',
      language: 'shell',
      text: `curl ${endpoint} \\\n  -H "Content-Type: application/json" \\\n  -H "Accept: application/json, text/event-stream" \\\n  -H "MCP-Protocol-Version: 2026-07-28" \\\n  -H "Mcp-Method: tools/list"${curlHeader} \\\n  -d '${curlBody}'`,
      where: 'In a terminal',
    },
    {
      client: 'typescript',
      title: 'TypeScript',
      language: 'typescript',
      text: `import { connect } from '@gantry/mcp'\n\nawait using gantry = await connect('${endpoint}')\nfor await (const tool of gantry.listTools()) console.log(tool.name)`,
      where: 'npm install @gantry/mcp',
    },
  ]
}

/** Clients that keep their servers in a file. */
function fileSnippets({ endpoint, needsKey, configFile, places }: SnippetFacts): Snippet[] {
  const address = { url: endpoint, configFile: configFile ?? 'gantry.jsonc', needsKey }
  return CLIENTS.filter(({ id }) => id !== 'claude-code').map((client) => {
    const entry = gatewayEntry(client.id, address)
    const key = needsKey && client.reach === 'http' ? { headers: { Authorization: 'Bearer YOUR_KEY' } } : {}
    const section = client.id === 'vscode' ? 'servers' : 'mcpServers'
    const file = client.files(places)[0]?.file ?? 'mcp.json'
    return {
      client: client.id,
      title: client.title,
      language: 'json',
      text: JSON.stringify({ [section]: { gantry: { ...entry, ...key } } }, undefined, 2),
      where: file.startsWith(places.home) ? `~${file.slice(places.home.length)}` : file,
    }
  })
}
