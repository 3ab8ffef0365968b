import type { IncomingMessage, ServerResponse } from 'node:http'
import { INVALID_REQUEST } from '@gantry/mcp/exchange'
import { refuseForeign, type GateOptions } from '@gantry/mcp/server'
import { drainUnreadBody } from '@gantry/mcp/server/node'
import type { ServerModel } from '../model/index.ts'

const FIX = 'Names of your own go into "server.allowedHosts" and "server.allowedOrigins".'

/** The one check of `Host` and `Origin`, for every path, against DNS rebinding. */
export class HostGate {
  #server: ServerModel | undefined
  #options: GateOptions = {}

  /** Answers a request that may not come in; false lets it pass. */
  refuses(request: IncomingMessage, response: ServerResponse, server: ServerModel): boolean {
    if (this.#server !== server) {
      this.#server = server
      this.#options = gateOptions(server)
    }
    const foreign = refuseForeign(request.headers as Record<string, string | undefined>, this.#options)
    if (foreign === undefined) return false
    drainUnreadBody(request, response)
    const error = { code: INVALID_REQUEST, message: `${foreign}. ${FIX}` }
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error })
    response.writeHead(403, { 'content-type': 'application/json' }).end(body)
    return true
  }
}

/** For what stands behind the gate. */
export const GATED: GateOptions = { allowedHosts: ['*'], allowedOrigins: ['*'] }

/** Which `Host` and `Origin` a request may have: loopback, the address that is listened on, and what is configured. */
function gateOptions({ host, publicUrl, allowedHosts, allowedOrigins }: ServerModel): GateOptions {
  const named = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return {
    allowedHosts: ['localhost', '127.0.0.1', '[::1]', host, ...named, ...allowedHosts],
    allowedOrigins,
  }
}
