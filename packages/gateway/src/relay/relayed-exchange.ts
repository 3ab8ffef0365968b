import { deriveExchange, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import { publicNotification } from './public-notifications.ts'
import type { Destination, Resolver } from './resolver.ts'

/** The caller's exchange with other params: what a target is asked. */
export function withParams(exchange: Exchange, params: JsonObject): Exchange {
  return deriveExchange(exchange, { params })
}

/** The same for a request that is relayed: what the target says on the way is said in the names of its clients. */
export function toTarget(
  exchange: Exchange,
  params: JsonObject,
  destination: Destination,
  resolver: Resolver,
): Exchange {
  return deriveExchange(exchange, {
    params,
    notify(notification) {
      const shown = publicNotification(notification, destination, (own) =>
        resolver.mayRead(destination.target, own, exchange),
      )
      if (shown) exchange.notify(shown)
    },
  })
}
