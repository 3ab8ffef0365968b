import type { SubscriptionMeter } from '@gantry/mcp/exchange'
import type { Link } from '../link.ts'
import { listen, type ListenHost } from './listen.ts'

/** Clients that listen for changes, each for as long as it wants, within the limits of all endpoints together. */
export function listenLink(meter: SubscriptionMeter, host: ListenHost): Link {
  return (exchange, next) => {
    if (exchange.method !== 'subscriptions/listen') return next()
    const close = meter.open(exchange)
    return listen(exchange, host).finally(close)
  }
}
