// MCP inside an ordinary web application: each request brings its own user, and nothing is kept between them.
//
//   node examples/web-controller.mjs 3000
import { createServer } from 'node:http'
import { Server, tool } from '@gantry/mcp/server'

const app = new Server({
  name: 'accounts',
  version: '1.0.0',
  tools: { whoami: tool({ readOnlyHint: true, run: (_args, ctx) => `You are ${ctx.serverContext.user}` }) },
})

/** The controller: a raw body in, a status and a body out. */
async function mcp(body, user) {
  const reply = await app.handleJson(body, { serverContext: { user } })
  return reply === undefined ? { status: 202, body: '' } : { status: 200, body: reply }
}

const server = createServer(async (request, response) => {
  const chunks = await request.toArray()
  const user = request.headers['x-user'] ?? 'nobody'
  const { status, body } = await mcp(Buffer.concat(chunks).toString(), user)
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
})
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}/`)
})
