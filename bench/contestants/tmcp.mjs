// tmcp: node tmcp.mjs stdio|http [EXTRA-TOOLS]
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { z } from 'zod'
import { extraShape } from './extra-zod.mjs'
import { extraTools } from './many-tools.mjs'

const server = new McpServer(
  { name: 'echo', version: '1.0.0', description: 'Says it back' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
)
server.tool(
  { name: 'echo', description: 'Says it back', schema: z.object({ text: z.string() }) },
  ({ text }) => ({ content: [{ type: 'text', text }] }),
)
for (const { name, description } of extraTools)
  server.tool({ name, description, schema: z.object(extraShape) }, () => ({
    content: [{ type: 'text', text: 'done' }],
  }))

if (process.argv[2] === 'stdio') {
  new StdioTransport(server).listen()
} else {
  // Loaded here: a server on stdio does without, and the time to its first answer is measured.
  const [{ HttpTransport }, { createRequestListener }, { createServer }, { announce }] = await Promise.all([
    import('@tmcp/transport-http'),
    import('@remix-run/node-fetch-server'),
    import('node:http'),
    import('./announce.mjs'),
  ])
  const transport = new HttpTransport(server, { path: '/mcp' })
  const respond = async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })
  announce(createServer(createRequestListener(respond)))
}
