// The official SDK 1.x: node official-1.mjs stdio|http-session
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'
import { announce } from './announce.mjs'
import { keepSessions } from './keep-sessions.mjs'

const input = { description: 'Says it back', inputSchema: { text: z.string() } }

function create() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  server.registerTool('echo', input, ({ text }) => ({ content: [{ type: 'text', text }] }))
  return server
}

async function openSession(onsessioninitialized) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized,
    enableJsonResponse: true,
  })
  await create().connect(transport)
  return transport
}

if (process.argv[2] === 'stdio') await create().connect(new StdioServerTransport())
else announce(createServer(keepSessions(openSession)))
