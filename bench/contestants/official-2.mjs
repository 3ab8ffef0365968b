// The official SDK 2.x: node official-2.mjs stdio|http|http-session [EXTRA-TOOLS]
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { extraShape } from './extra-zod.mjs'
import { longText } from './long-text.mjs'
import { extraTools } from './many-tools.mjs'

const input = { description: 'Says it back', inputSchema: z.object({ text: z.string() }) }
const done = () => ({ content: [{ type: 'text', text: 'done' }] })

function create() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  server.registerTool('echo', input, ({ text }) => ({ content: [{ type: 'text', text }] }))
  server.registerTool('wait', { description: 'Never ends' }, () => new Promise(() => {}))
  server.registerTool('big', { inputSchema: z.object({ bytes: z.number() }) }, ({ bytes }) => ({
    content: [{ type: 'text', text: longText(bytes) }],
  }))
  for (const { name, description } of extraTools)
    server.registerTool(name, { description, inputSchema: z.object(extraShape) }, done)
  return server
}

/** Loads what a server on stdio does without, so that the time to its first answer is its own. */
async function serveHttp(isSession) {
  const [{ announce }, { keepSessions }] = await Promise.all([
    import('./announce.mjs'),
    import('./keep-sessions.mjs'),
  ])
  const [{ NodeStreamableHTTPServerTransport, toNodeHandler }, { randomUUID }, { createServer }] =
    await Promise.all([import('@modelcontextprotocol/node'), import('node:crypto'), import('node:http')])
  const openSession = async (onsessioninitialized) => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized,
      enableJsonResponse: true,
    })
    await create().connect(transport)
    return transport
  }
  announce(createServer(isSession ? keepSessions(openSession) : toNodeHandler(createMcpHandler(create))))
}

const [transport] = process.argv.slice(2)
if (transport === 'stdio') serveStdio(create)
else await serveHttp(transport === 'http-session')
