import { deriveExchange, type Exchange, type JsonObject, type Notification } from '@gantry/mcp/exchange'

/** The caller's exchange with other params: what a target is asked. */
export function withParams(
  exchange: Exchange,
  params: JsonObject,
  notify?: (notification: Notification) => void,
): Exchange {
  if (params === exchange.params && !notify) return exchange
  return deriveExchange(exchange, notify ? { params, notify } : { params })
}
