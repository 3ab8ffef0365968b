import { CLIENTS, gatewayEntry } from '../../config/import/index.ts'
import type { UserPlaces } from '../../config/index.ts'
import type { Snippet } from '../contract.ts'

export interface SnippetFacts {
  readonly endpoint: string
  readonly needsKey: boolean
  readonly configFile: string | undefined
  readonly places: UserPlaces
}

/** What to paste into the common clients so that they use this gateway. */
export function createSnippets(facts: SnippetFacts): Snippet[] {
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
