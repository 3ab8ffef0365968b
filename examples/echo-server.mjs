// The smallest server: one tool, on stdio or over HTTP, in every revision.
//
//   node examples/echo-server.mjs stdio
//   node examples/echo-server.mjs http 3000
import { createServer } from 'node:http'
import { Server, tool } from '@gantry/mcp/server'
import { serveStdio, toNodeHandler } from '@gantry/mcp/server/node'

const echo = tool({
  description: 'Says it back',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  readOnlyHint: true,
  run: ({ text }) => text,
})

const app = new Server({ name: 'echo', version: '1.0.0', tools: { echo } })

const [transport = 'stdio', port = '3000'] = process.argv.slice(2)
if (transport === 'stdio') {
  await serveStdio(app)
} else if (transport === 'http') {
  const handler = toNodeHandler(app)
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] === '/mcp') handler(request, response)
    else response.writeHead(404).end('The endpoint is /mcp\n')
  })
  server.listen(Number(port), '127.0.0.1', () => {
    console.log(`Listening on http://127.0.0.1:${server.address().port}/mcp`)
  })
} else {
  console.error('usage: echo-server.mjs stdio | http PORT')
  process.exitCode = 2
}
