// The official SDK 2.x: node official-2.mjs stdio|http|http-session [EXTRA-TOOLS]
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { announce } from './announce.mjs'
import { extraShape } from './extra-zod.mjs'
import { keepSessions } from './keep-sessions.mjs'
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

function openSession(onsessioninitialized) {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized,
    enableJsonResponse: true,
  })
  return create()
    .connect(transport)
    .then(() => transport)
}

const [transport] = process.argv.slice(2)
if (transport === 'stdio') serveStdio(create)
else if (transport === 'http') announce(createServer(toNodeHandler(createMcpHandler(create))))
else announce(createServer(keepSessions(openSession)))
