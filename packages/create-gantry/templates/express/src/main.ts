import type { AddressInfo } from 'node:net'
import express from 'express'
import { toNodeHandler } from '@gantry/mcp/server/node'
import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', ALLOWED_HOSTS } = process.env

const handler = toNodeHandler(server, ALLOWED_HOSTS ? { allowedHosts: ALLOWED_HOSTS.split(',') } : {})
const web = express()
web.use('/mcp', handler)
const http = web.listen(Number(PORT), HOST, () => {
  console.log(`Listening on http://${HOST}:${(http.address() as AddressInfo).port}/mcp`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    handler.close()
    http.close()
  })
