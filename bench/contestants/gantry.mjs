// Ours: node gantry.mjs stdio|http
import { createServer } from 'node:http'
import { Server, tool } from '@gantry/mcp/server'
import { serveStdio, toNodeHandler } from '@gantry/mcp/server/node'
import { announce } from './announce.mjs'

const echo = tool({
  description: 'Says it back',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => text,
})
const app = new Server({ name: 'echo', version: '1.0.0', tools: { echo } })

// An orderly end, without which Node writes no profile.
process.once('SIGTERM', () => process.exit(0))
if (process.argv[2] === 'stdio') await serveStdio(app)
else announce(createServer(toNodeHandler(app)))
