import { Facts, KnownCall, KnownCaller } from '../../rules/facts.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { argumentsOf } from './view-arguments.ts'

/** The facts of a request that expressions can use. */
export function factsOf({ auth, client, endpoint, resolved, params }: GatewayExchange): Facts {
  const { kind, target, name, entry } = resolved!
  return new Facts({
    caller: new KnownCaller({ auth, client, view: endpoint.name }),
    object: { kind, target: target.name, name, item: entry?.item },
    call: new KnownCall({ args: argumentsOf(params), now: new Date() }),
  })
}
