import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

export async function connectClient({ era, args, url }) {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(
    url
      ? new StreamableHTTPClientTransport(new URL(url))
      : new StdioClientTransport({ command: process.execPath, args }),
  )
  return {
    call: async (text) => (await client.callTool({ name: 'echo', arguments: { text } })).content[0].text,
    progress: async (text) => {
      let count = 0
      await client.callTool({ name: 'echo', arguments: { text } }, { onprogress: () => count++ })
      return count
    },
    close: () => client.close(),
  }
}
