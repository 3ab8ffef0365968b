import type { Outcome } from '@gantry/mcp/exchange'
import type { GatewayExchange, Resolved, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { publicNotification } from './public-notification.ts'
import type { Resolver } from './resolver.ts'
import { toPublic } from './to-public.ts'

/** What an endpoint answers itself, from what it knows of its targets. */
const OF_THE_ENDPOINT: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'skills/list',
  'subscriptions/listen',
])

/**
 * Finds out once what a request is about. This is the border of names: in front of it everything has the names that
 * the endpoint's clients know, behind it the names that the target has given.
 */
export function resolveLink(resolver: Resolver): Link {
  return (exchange, next) => {
    if (OF_THE_ENDPOINT.has(exchange.method)) return next()
    const found = resolver.resolve(exchange)
    return found instanceof Promise
      ? found.then((one) => pass(exchange, one, next))
      : pass(exchange, found, next)
  }
}

function pass(exchange: GatewayExchange, resolved: Resolved, next: () => Promise<Outcome>): Promise<Outcome> {
  exchange.resolve(resolved)
  exchange.hear(publicNotification)
  return next().then((outcome) => toPublic(outcome, exchange as ResolvedExchange))
}
