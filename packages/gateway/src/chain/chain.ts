import { composeMiddleware, type Outcome, type SubscriptionMeter } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { GatewayModel } from '../model/index.ts'
import type { Relay } from '../relay/relay.ts'
import type { Log } from '../telemetry/log.ts'
import type { WireView } from '../telemetry/wire-view.ts'
import type { GatewayExchange } from './gateway-exchange.ts'
import type { Admission } from './limits/admission.ts'
import { limitsLink } from './limits/limits-link.ts'
import type { Link } from './link.ts'
import type { ListenHost } from './listen/listen.ts'
import { listenLink } from './listen/listen-link.ts'
import { listsLink } from './lists/lists-link.ts'
import { policyLink } from './policy/policy-link.ts'
import { recorderLink } from './recorder/recorder-link.ts'
import { resolveLink } from './resolve/resolve-link.ts'
import { secretsLink } from './secrets/secrets-link.ts'
import { tasksLink } from './tasks/tasks-link.ts'

/** What all endpoints share. */
export interface SharedServices {
  readonly info: Implementation
  readonly view: WireView
  readonly log: Log
  /** Bounds the requests under way. */
  readonly admission: Admission
  /** Bounds what clients listen for. */
  readonly subscriptions: SubscriptionMeter
  /** Takes configured secrets out of a text. */
  scrub(this: void, text: string): string
}

/** What the links of one endpoint work with. */
export interface ChainServices extends SharedServices, ListenHost {
  readonly relay: Relay
}

/** The links of an endpoint, from the caller to the target. One that has nothing to do is undefined. */
export function linksOf(services: ChainServices, model: GatewayModel): Record<string, Link | undefined> {
  const { info, catalog, resolver, desk, tasks } = services
  const { server, catalog: lists } = model
  return {
    recorder: recorderLink(services.view, services.log),
    limits: limitsLink(services.admission),
    resolve: resolveLink(resolver),
    policy: policyLink(model),
    tasks: tasksLink(desk, tasks),
    secrets: secretsLink(services.scrub),
    lists: listsLink({ info, catalog, pageSize: lists.pageSize, instructions: server.instructions }),
    listen: listenLink(services.subscriptions, services),
  }
}

/** The way of a request through the gateway. */
export type Chain = (exchange: GatewayExchange) => Outcome | Promise<Outcome>

/** Compiles the chain of an endpoint for a configuration. */
export function createChain(services: ChainServices, model: GatewayModel): Chain {
  const links = Object.values(linksOf(services, model)).filter((link) => link !== undefined)
  return composeMiddleware<GatewayExchange>(links, services.relay.handle)
}
