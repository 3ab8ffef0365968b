import { composeMiddleware, type Handle } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { GatewayModel } from '../model/index.ts'
import type { Relay } from '../relay/relay.ts'
import type { Log } from '../telemetry/log.ts'
import type { WireView } from '../telemetry/wire-view.ts'
import { GatewayExchange, type ExchangeEndpoint, type HandleGatewayExchange } from './gateway-exchange.ts'
import { type Admission, limitsLink } from './limits/admission.ts'
import type { Link } from './link.ts'
import { listen, type ListenHost } from './listen/listen.ts'
import { ownAnswers } from './lists/own-answers.ts'
import { policyLink } from './policy/policy-link.ts'
import { recorderLink } from './recorder/recorder-link.ts'
import { resolveLink } from './resolve/resolver.ts'
import { secretsLink } from './secrets/secrets-link.ts'
import { tasksLink } from './tasks/tasks-link.ts'

/** What all endpoints share. */
export interface SharedServices {
  readonly info: Implementation
  readonly view: WireView
  readonly log: Log
  /** Bounds the requests under way. */
  readonly admission: Admission
  /** A value as JSON without configured secrets. */
  toJson(this: void, value: unknown): string
}

/** What the links of one endpoint work with. */
export interface ChainServices extends SharedServices, ListenHost {
  readonly relay: Relay
}

/** The links of a request to a target, from the caller on. One that has nothing to do is undefined. */
export function linksOf(services: ChainServices, model: GatewayModel): Record<string, Link | undefined> {
  return {
    recorder: recorderLink(services.view, services.log),
    limits: limitsLink(services.admission),
    resolve: resolveLink(services.resolver),
    policy: policyLink(model),
    tasks: tasksLink(services.ownTasks, services.tasks),
    secrets: secretsLink(services.toJson),
  }
}

/**
 * Compiles the way of requests through an endpoint for a configuration. What the endpoint answers itself goes through
 * no link that is about targets. What lasts as long as its client is no request under way.
 */
export function createChain(
  services: ChainServices,
  model: GatewayModel,
  endpoint: ExchangeEndpoint,
): Handle {
  const links = linksOf(services, model)
  const { recorder, limits } = links
  const toTarget = compose(Object.values(links), services.relay.handle)
  const own = new Map(
    Object.entries(ownAnswers(services, model)).map(([method, answer]) => [
      method,
      compose([recorder, limits], answer),
    ]),
  )
  own.set(
    'subscriptions/listen',
    compose([recorder], (exchange) => listen(exchange, services)),
  )
  return (origin) => {
    const exchange = new GatewayExchange(origin, endpoint)
    return (own.get(exchange.method) ?? toTarget)(exchange)
  }
}

function compose(links: readonly (Link | undefined)[], handle: HandleGatewayExchange): HandleGatewayExchange {
  const present = links.filter((link) => link !== undefined)
  return composeMiddleware<GatewayExchange>(present, handle)
}
