// The official SDK 1.x: node official-1.mjs stdio|http-session [EXTRA-TOOLS]
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'
import { extraShape } from './extra-zod.mjs'
import { longText } from './long-text.mjs'
import { extraTools } from './many-tools.mjs'

const input = { description: 'Says it back', inputSchema: { text: z.string() } }
const done = () => ({ content: [{ type: 'text', text: 'done' }] })

function create() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  server.registerTool('echo', input, ({ text }) => ({ content: [{ type: 'text', text }] }))
  server.registerTool('wait', { description: 'Never ends' }, () => new Promise(() => {}))
  server.registerTool('big', { inputSchema: { bytes: z.number() } }, ({ bytes }) => ({
    content: [{ type: 'text', text: longText(bytes) }],
  }))
  for (const { name, description } of extraTools)
    server.registerTool(name, { description, inputSchema: extraShape }, done)
  return server
}

/** Loads what a server on stdio does without, so that the time to its first answer is its own. */
async function serveHttp() {
  const [{ announce }, { keepSessions }] = await Promise.all([
    import('./announce.mjs'),
    import('./keep-sessions.mjs'),
  ])
  const [{ StreamableHTTPServerTransport }, { randomUUID }, { createServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    import('node:crypto'),
    import('node:http'),
  ])
  const openSession = async (onsessioninitialized) => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized,
      enableJsonResponse: true,
    })
    await create().connect(transport)
    return transport
  }
  announce(createServer(keepSessions(openSession)))
}

if (process.argv[2] === 'stdio') await create().connect(new StdioServerTransport())
else await serveHttp()
