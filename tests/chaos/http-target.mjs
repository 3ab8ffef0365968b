import { createServer } from 'node:http'
import { Server, tool } from '@gantry/mcp/server'
import { toNodeHandler } from '@gantry/mcp/server/node'

/** A server over HTTP that forgets its sessions or leaves its sockets half open when it is told to. */
export async function startHttpTarget() {
  const input = { type: 'object', properties: { nonce: { type: 'string' }, ms: { type: 'number' } } }
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const app = new Server({
    name: 'web',
    revisions: ['2025-06-18', '2025-11-25'],
    tools: {
      late: tool({
        input,
        readOnlyHint: true,
        annotations: { readOnlyHint: true },
        run: async ({ nonce, ms }, ctx) => {
          await ctx.progress(1)
          await wait(ms)
          return nonce
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
