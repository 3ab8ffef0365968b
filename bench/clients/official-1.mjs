import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export async function connectClient({ args, url }) {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(
    url
      ? new StreamableHTTPClientTransport(new URL(url))
      : new StdioClientTransport({ command: process.execPath, args }),
  )
  return {
    call: async (text) => (await client.callTool({ name: 'echo', arguments: { text } })).content[0].text,
    close: () => client.close(),
  }
}
