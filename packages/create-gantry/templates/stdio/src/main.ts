import { serveStdio } from '@gantry/mcp/server/node'
import { server } from './server.ts'

await serveStdio(server)
