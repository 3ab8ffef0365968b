// What an idle legacy HTTP session costs: opens many over real HTTP, lets them rest, and divides.
//   node --expose-gc bench/idle-sessions.mjs [COUNT]
// Exits with 1 when a session takes more than 10 KB.
import { Agent, createServer, request } from 'node:http'
import { Server, tool } from '@gantry/mcp/server'
import { toNodeHandler } from '@gantry/mcp/server/node'

const MOST_BYTES = 10 * 1024
const count = Number(process.argv[2] ?? 10_000)
if (!globalThis.gc) {
  console.error('Run it with --expose-gc')
  process.exit(2)
}

const app = new Server({
  name: 'idle',
  version: '1.0.0',
  tools: { echo: tool({ run: ({ text }) => String(text) }) },
})
const handler = toNodeHandler(app, { sessions: { maxSessions: count + 1 } })
const server = createServer(handler)
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()
const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** The id of the session that a request belongs to. */
function post(message, session) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers, agent },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.headers['mcp-session-id'] ?? session))
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(message))
  })
}

/** A client that opens a session, uses it once and then only thinks. */
async function openSession(index) {
  const session = await post({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {}, roots: { listChanged: true } },
      clientInfo: { name: `client-${index}`, version: '1.0.0' },
    },
  })
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  const params = { name: 'echo', arguments: { text: 'hi' } }
  await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }, session)
}

async function open(from, to) {
  const next = { value: from }
  const worker = async () => {
    while (next.value < to) await openSession(next.value++)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

async function rest() {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    globalThis.gc()
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

// The first thousand pay for what is loaded and compiled once.
const warm = Math.min(1_000, Math.floor(count / 10))
await open(0, warm)
const before = await rest()
await open(warm, count)
const after = await rest()
const each = (after - before) / (count - warm)
console.log(`${handler.service.sessions.size} idle sessions, ${Math.round(each)} bytes each`)
agent.destroy()
handler.close()
server.closeAllConnections()
server.close()
process.exitCode = each > MOST_BYTES ? 1 : 0
