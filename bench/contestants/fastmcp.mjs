// fastmcp: node fastmcp.mjs stdio|http-session PORT
import { FastMCP } from 'fastmcp'
import { z } from 'zod'

const server = new FastMCP({ name: 'echo', version: '1.0.0' })
server.addTool({
  name: 'echo',
  description: 'Says it back',
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
})

const [transport, port] = process.argv.slice(2)
if (transport === 'stdio') {
  await server.start({ transportType: 'stdio' })
} else {
  await server.start({
    transportType: 'httpStream',
    httpStream: { port: Number(port), host: '127.0.0.1', enableJsonResponse: true },
  })
  console.log(`listening ${port}`)
}
