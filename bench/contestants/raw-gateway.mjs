// A raw pipe between HTTP and a server on stdio: bytes are copied as they come, and only the end of a line is
// looked for. One request at a time.
//   node raw-gateway.mjs PROGRAM [ARGS…]
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { announce } from './announce.mjs'

const child = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = []

child.stdout.on('data', (chunk) => {
  const response = waiting[0]
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' })
  if (chunk.at(-1) === 10) waiting.shift().end(chunk)
  else response.write(chunk)
})

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    if (body.includes('notifications/')) response.writeHead(202).end()
    else waiting.push(response)
    child.stdin.write(body)
    child.stdin.write('\n')
  })
})
announce(server)
