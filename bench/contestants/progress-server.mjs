// A modern server whose answer to a call is a stream: many notifications about progress, then the result.
// What it sends is put together from parts that are ready, so that the client is what is measured.
//   node progress-server.mjs modern EXTRA-TOOLS COUNT
import { createServer } from 'node:http'
import { announce } from './announce.mjs'
import { answer } from './bare-answer.mjs'

const event = (message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`
const PLACE = '<token>'
const parts = Array.from({ length: Number(process.argv[4]) }, (_, index) =>
  event({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: PLACE, progress: index + 1, message: 'on the way' },
  }),
)
  .join('')
  .split(JSON.stringify(PLACE))

const server = createServer((request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end()
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString())
    const reply = answer(message)
    if (message.method !== 'tools/call') {
      response.writeHead(reply.error ? 404 : 200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify(reply))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(parts.join(JSON.stringify(message.params._meta.progressToken)) + event(reply))
  })
})
announce(server)
