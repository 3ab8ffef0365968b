import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { oauth } from '../auth/index.ts'
import { bearer } from '../auth/guard/index.ts'
import { caching, limitResults, logging, rateLimit } from '../middleware/index.ts'
import { Server } from '../server/index.ts'
import { Client, connect, http, sse } from './client.ts'
import { serveSocket, serveStdio, serveStream, toNodeHandler } from './server.node.ts'
import { toFetchHandler } from './server.ts'

const app = new Server({ name: 's' })
const url = 'http://127.0.0.1:1/mcp'
const guard = { resource: 'https://mcp.example.com/mcp', issuer: 'https://auth.example.com' }

// A misspelt option of a guard, a limit or credentials does nothing, and everything seems to work.
it.each<[string, (option: Record<string, unknown>) => unknown]>([
  ['new Server', (option) => new Server({ name: 's', ...option } as never)],
  ['new Client', (option) => new Client(option as never)],
  ['elicit', (option) => new Client({ elicit: option })],
  ['connect', (option) => connect(url, option as never)],
  ['connect with http', (option) => connect(url, { http: option as never })],
  ['http', (option) => http(url, option)],
  ['sse', (option) => sse(url, option)],
  ['toNodeHandler', (option) => toNodeHandler(app, option)],
  ['toFetchHandler', (option) => toFetchHandler(app, option)],
  ['serveStdio', (option) => serveStdio(app, option)],
  ['serveStream', (option) => serveStream(app, new PassThrough(), new PassThrough(), option)],
  ['serveSocket', (option) => serveSocket(app, { port: 0 }, option)],
  ['bearer', (option) => bearer({ ...guard, ...option })],
  ['oauth', (option) => oauth(option)],
  ['rateLimit', (option) => rateLimit({ requests: 1, per: '1s', ...option })],
  ['caching', (option) => caching({ tools: [], ttl: '1s', ...option })],
  ['limitResults', (option) => limitResults(option)],
  ['logging', (option) => logging(option)],
])('an unknown option of %s is refused, with those that there are', async (_, make) => {
  await expect(async () => make({ scoopes: ['notes:write'] })).rejects.toThrow(
    /has no option "scoopes"; its options are \w+/,
  )
})
