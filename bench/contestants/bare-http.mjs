// The limit over HTTP: `node:http`, `JSON.parse`, `JSON.stringify`.
//   node bare-http.mjs [legacy|modern [EXTRA-TOOLS]]
import { createServer } from 'node:http'
import { answer } from './bare-answer.mjs'
import { announce } from './announce.mjs'

const server = createServer((request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end()
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    const reply = answer(JSON.parse(body.toString()))
    if (reply === undefined) return response.writeHead(202).end()
    const text = JSON.stringify(reply)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
})
announce(server)
