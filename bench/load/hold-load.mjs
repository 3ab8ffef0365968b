// Holds sessions and streams open, in a process of its own. It is told `{ sessions, listeners }`, opens as many over all
// ports, and answers when they are there. Streams stay open until it is closed.
import { connect } from 'node:net'
import { requestText } from './http-request.mjs'
import { request } from './messages.mjs'
import { openSessions } from './open-sessions.mjs'
import { options } from './options.mjs'

const AT_ONCE = 16
const { ports } = options
const at = (index) => ports[index % ports.length]

/** A stream that waits for changes: of a modern client, or the GET of a session of its own. */
async function listen(index) {
  if (index % 2 === 0) {
    const target = { port: at(index), path: '/mcp', era: 'modern' }
    const asked = request('modern', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    return hold(target.port, requestText(target, asked))
  }
  const { session } = await openSessions({ port: at(index), path: '/mcp', era: 'legacy' }, 1)
  // A stream may be opened at any gateway.
  const port = at(index + 1)
  const head = `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n`
  return hold(port, `${head}Mcp-Session-Id: ${session}\r\nMcp-Protocol-Version: 2025-11-25\r\n\r\n`)
}

/** Resolves when the stream has begun. */
function hold(port, text) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('error', reject)
    socket.once('data', (data) =>
      String(data).startsWith('HTTP/1.1 200') ? resolve() : reject(new Error(String(data).slice(0, 300))),
    )
    socket.on('data', () => {})
  })
}

async function fill({ sessions, listeners }) {
  await Promise.all(
    ports.map((port) =>
      openSessions({ port, path: '/mcp', era: 'legacy' }, Math.ceil(sessions / ports.length)),
    ),
  )
  let next = 0
  const opener = async () => {
    for (let index = next++; index < listeners; index = next++) await listen(index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, opener))
}

function fail(error) {
  process.send({ error: error.message }, () => process.exit(1))
}

process.on('message', (order) => fill(order).then(() => process.send({ done: true }), fail))
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
