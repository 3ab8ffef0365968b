// A command line for any MCP server.
//
//   node examples/cli.mjs tools                     -- node examples/notes-server.mjs stdio
//   node examples/cli.mjs call add '{"id":"x",…}'   -- node examples/notes-server.mjs stdio
//   node examples/cli.mjs read notes://about        -- http://127.0.0.1:3000/mcp
//   node examples/cli.mjs prompt review '{"id":"welcome"}' -- …
import { Client, http, McpError, ProtocolError } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'

const COMMANDS = {
  async tools(client) {
    for await (const { name, description = '' } of client.listTools()) console.log(`${name}\t${description}`)
  },
  async resources(client) {
    for await (const { uri, name } of client.listResources()) console.log(`${uri}\t${name}`)
  },
  async call(client, name, args = '{}') {
    for await (const event of client.stream(name, JSON.parse(args))) {
      if (event.type === 'progress') console.error(`${event.progress}/${event.total ?? '?'}`)
      if (event.type === 'result') {
        console.log(event.result.text())
        if (event.result.isError) process.exitCode = 1
      }
    }
  },
  async read(client, uri) {
    const { contents } = await client.readResource(uri)
    for (const { text, blob } of contents) console.log(text ?? Buffer.from(blob, 'base64').toString())
  },
  async prompt(client, name, args = '{}') {
    const { messages } = await client.getPrompt(name, JSON.parse(args))
    for (const { role, content } of messages)
      console.log(`${role}: ${content.text ?? JSON.stringify(content)}`)
  },
}

const words = process.argv.slice(2)
const split = words.indexOf('--')
const [command, ...rest] = words.slice(0, split)
const [target, ...args] = words.slice(split + 1)
const run = Object.hasOwn(COMMANDS, command ?? '') ? COMMANDS[command] : undefined
if (split < 0 || !run || !target) {
  console.error(`usage: cli.mjs ${Object.keys(COMMANDS).join('|')} [ARGS…] -- URL|COMMAND [ARGS…]`)
  process.exit(2)
}

const connector = /^https?:/.test(target) ? http(target) : stdio(target, args)
const client = new Client({ connector })
try {
  await run(client, ...rest)
} catch (error) {
  // What can go wrong between us and a server is one of these two; anything else is a mistake of our own.
  const isKnown = error instanceof McpError || error instanceof ProtocolError || error instanceof SyntaxError
  if (!isKnown) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await client.close()
}
