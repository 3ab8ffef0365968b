import { type FetchHandler, toFetchHandler } from '@gantry/mcp/server'
import { server } from './server.ts'

interface Env {
  ALLOWED_HOSTS?: string
}

let handler: FetchHandler | undefined

export default {
  fetch(request: Request, { ALLOWED_HOSTS }: Env = {}): Promise<Response> {
    handler ??= toFetchHandler(server, ALLOWED_HOSTS ? { allowedHosts: ALLOWED_HOSTS.split(',') } : {})
    return handler(request)
  },
}
