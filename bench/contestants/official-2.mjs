// The official SDK 2.x: node official-2.mjs stdio|http|http-session
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { announce } from './announce.mjs'
import { keepSessions } from './keep-sessions.mjs'

const input = { description: 'Says it back', inputSchema: z.object({ text: z.string() }) }

function create() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  server.registerTool('echo', input, ({ text }) => ({ content: [{ type: 'text', text }] }))
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
