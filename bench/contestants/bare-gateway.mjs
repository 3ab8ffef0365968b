// The limit of a gateway from HTTP to a pipe: `node:http` in front, a server on stdio behind; each message is
// parsed and serialised on its way in and on its way out.
//   node bare-gateway.mjs COMMAND [ARGS…]
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { announce } from './announce.mjs'
import { eachLine } from './each-line.mjs'

const [command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()

eachLine(child.stdout, (line) => {
  const message = JSON.parse(line)
  const response = waiting.get(message.id)
  waiting.delete(message.id)
  const text = JSON.stringify(message)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
})

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString())
    if (message.id === undefined) response.writeHead(202).end()
    else waiting.set(message.id, response)
    child.stdin.write(`${JSON.stringify(message)}\n`)
  })
})
announce(server)
