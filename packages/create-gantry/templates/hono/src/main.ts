import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { toFetchHandler } from '@gantry/mcp/server'
import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', ALLOWED_HOSTS } = process.env

const handler = toFetchHandler(server, ALLOWED_HOSTS ? { allowedHosts: ALLOWED_HOSTS.split(',') } : {})
const web = new Hono()
web.all('/mcp', (c) => handler(c.req.raw))
const http = serve({ fetch: web.fetch, port: Number(PORT), hostname: HOST }, ({ port }) => {
  console.log(`Listening on http://${HOST}:${port}/mcp`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    handler.close()
    http.close()
  })
