import { deriveExchange, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import { publicNotification } from './public-notifications.ts'
import type { Destination } from './resolver.ts'

/** The caller's exchange with other params: what a target is asked, and says to clients in their names. */
export function withParams(exchange: Exchange, params: JsonObject, destination?: Destination): Exchange {
  if (!destination) return deriveExchange(exchange, { params })
  return deriveExchange(exchange, {
    params,
    notify(notification) {
      const shown = publicNotification(notification, destination)
      if (shown) exchange.notify(shown)
    },
  })
}
