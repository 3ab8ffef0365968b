import { deriveExchange, type Exchange, type JsonObject } from '@gantry/mcp/exchange'

/** The same exchange with other params. */
export function withParams(exchange: Exchange, params: JsonObject): Exchange {
  return deriveExchange(exchange, { params })
}
