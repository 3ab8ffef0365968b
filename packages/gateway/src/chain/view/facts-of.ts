import type { JsonObject } from '@gantry/mcp/exchange'
import { Facts, KnownCall, KnownCaller } from '../../rules/facts.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { argumentsOf } from './view-arguments.ts'

interface Kept {
  readonly params: JsonObject
  readonly facts: Facts
}

const kept = new WeakMap<GatewayExchange, Kept>()

/** The facts of a request that expressions can use. They are read once for all of them, as long as its parameters are the same. */
export function factsOf(exchange: GatewayExchange): Facts {
  const { params } = exchange
  const known = kept.get(exchange)
  if (known?.params === params) return known.facts
  const facts = readFacts(exchange)
  kept.set(exchange, { params, facts })
  return facts
}

function readFacts({ auth, client, endpoint, resolved, params, work }: GatewayExchange): Facts {
  const { kind, target, name, entry } = resolved!
  return new Facts({
    caller: new KnownCaller({ auth, client, view: endpoint.name }),
    object: { kind, target: target.name, name, item: entry?.item },
    call: new KnownCall({ args: argumentsOf(params), now: new Date(), work }),
  })
}
