// The limit of a gateway from HTTP to HTTP: a reverse proxy with a pool of connections that looks at nothing.
//   node bare-proxy.mjs PORT-OF-THE-SERVER
import { Agent, createServer, request as ask } from 'node:http'
import { announce } from './announce.mjs'

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true })

const server = createServer((request, response) => {
  const { method, url: path, headers } = request
  const forwarded = ask({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  request.pipe(forwarded)
})
announce(server)
