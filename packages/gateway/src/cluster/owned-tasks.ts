import {
  complete,
  deriveExchange,
  MODERN_REVISIONS,
  type Exchange,
  type Outcome,
  type Served,
} from '@gantry/mcp/exchange'
import type { Implementation, SubscriptionFilter } from '@gantry/mcp/server'
import { toFailure } from '../chain/to-failure.ts'
import type { Gateway } from '../gateway.ts'
import type { Passport } from './passport.ts'

/** The tasks that run here for callers of an endpoint, for the other gateways: their callers may come to any. */
export class OwnedTasks implements Served {
  readonly info: Implementation
  readonly revisions: typeof MODERN_REVISIONS = MODERN_REVISIONS
  readonly numbers = 'source'
  readonly #endpoint: string
  readonly #gateway: Gateway
  readonly #passportOf: (exchange: Exchange) => Passport | undefined

  constructor(endpoint: string, gateway: Gateway, passportOf: (exchange: Exchange) => Passport | undefined) {
    this.info = gateway.info
    this.#endpoint = endpoint
    this.#gateway = gateway
    this.#passportOf = passportOf
  }

  readonly respond = async (exchange: Exchange): Promise<Outcome> => {
    try {
      const tasks = this.#gateway.endpoint(this.#endpoint || undefined)!.ownTasks
      const own = deriveExchange(exchange, { session: this.#passportOf(exchange)?.session })
      if (exchange.method !== 'subscriptions/listen') return await tasks.handle(own)
      const granted = await tasks.grant(exchange.params.notifications as SubscriptionFilter, own)
      const stop = tasks.listen(granted, own)
      await new Promise((resolve) => exchange.signal.addEventListener('abort', resolve, { once: true }))
      stop()
      return complete({})
    } catch (thrown) {
      return toFailure(thrown)
    }
  }
}
