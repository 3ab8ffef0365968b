import { createServer } from 'node:http'
import { Server, tool } from '@gantry/mcp/server'
import { toNodeHandler } from '@gantry/mcp/server/node'

const NAME = { name: { type: 'string' } }

/** A server over HTTP that forgets its sessions or leaves its sockets half open when it is told to. */
export async function startHttpTarget(name, revisions) {
  const properties = { nonce: { type: 'string' }, ms: { type: 'number' }, asks: { type: 'boolean' } }
  const input = { type: 'object', properties }
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const app = new Server({
    name,
    revisions,
    tools: {
      late: tool({
        input,
        readOnlyHint: true,
        annotations: { readOnlyHint: true },
        run: async ({ nonce, ms, asks }, ctx) => {
          await ctx.progress(1)
          const { name } = asks ? await ctx.elicit(nonce, { type: 'object', properties: NAME }) : {}
          await wait(ms)
          return asks ? name : nonce
        },
      }),
    },
  })
  let handler = toNodeHandler(app)
  let stalled = false
  const server = createServer((request, response) => {
    if (stalled) request.resume()
    else handler(request, response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    forgetSessions() {
      handler.close()
      handler = toNodeHandler(app)
    },
    /** Takes requests and never answers them. */
    stall(on) {
      stalled = on
      if (!on) server.closeAllConnections()
    },
    dropSockets: () => server.closeAllConnections(),
    async close() {
      handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
