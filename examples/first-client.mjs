// The smallest client: connects to a command or a URL, says what is there, and calls a tool.
//
//   node examples/first-client.mjs
//   node examples/first-client.mjs http://127.0.0.1:3000/mcp
import { connect } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'

const target = process.argv[2] ?? stdio('node', ['examples/echo-server.mjs', 'stdio'])

const client = await connect(target)
console.log(`${client.serverInfo?.name} speaks ${client.protocolVersion}`)

for await (const tool of client.listTools()) console.log(`- ${tool.name}: ${tool.description ?? ''}`)

const result = await client.call('echo', { text: 'Hello!' }, { timeout: '10s' })
console.log(result.isError ? `failed: ${result.text()}` : result.text())

await client.close()
