// Ours: node gantry.mjs stdio|http|http-session [EXTRA-TOOLS]
import { Server, tool } from '@gantry/mcp/server'
import { serveStdio, toNodeHandler } from '@gantry/mcp/server/node'
import { longText } from './long-text.mjs'
import { extraSchema, extraTools } from './many-tools.mjs'

const echo = tool({
  description: 'Says it back',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => text,
})
const wait = tool({ description: 'Never ends', run: () => new Promise(() => {}) })
const big = tool({ description: 'A long text', run: ({ bytes }) => longText(bytes) })
const extra = extraTools.map(({ name, description }) => [
  name,
  tool({ description, input: extraSchema, run: () => 'done' }),
])
const app = new Server({
  name: 'echo',
  version: '1.0.0',
  tools: { echo, wait, big, ...Object.fromEntries(extra) },
})

// An orderly end, without which Node writes no profile.
process.once('SIGTERM', () => process.exit(0))
if (process.argv[2] === 'stdio') {
  await serveStdio(app)
} else {
  // Loaded here: a server on stdio does without, and the time to its first answer is measured.
  const [{ createServer }, { announce }] = await Promise.all([import('node:http'), import('./announce.mjs')])
  announce(createServer(toNodeHandler(app, { sessions: { maxSessions: 20_000 } })))
}
