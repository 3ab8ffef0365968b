import { type AuthInfo, type Failure, isJsonObject } from '@gantry/mcp/exchange'
import type { AuditActor, EventFacts } from '../../audit/index.ts'
import { ClientTag } from '../../telemetry/exchange-log.ts'
import { shortName } from '../../telemetry/stats.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'

/** How a request was decided, or ended. */
export interface Ending extends Pick<EventFacts, 'decision' | 'rule' | 'status' | 'outcome' | 'stage'> {
  readonly error?: Failure['error'] | undefined
}

const READS = /^(?:resources|prompts|completion|skills|server|tools\/list|tasks\/get)/
const KINDS = { tools: 'tool', prompts: 'prompt', resources: 'resource', methods: 'method' } as const

/** What a request was about, who made it, and how it ended. */
export function factsOf(exchange: GatewayExchange, ended: Ending): EventFacts {
  const { method, resolved, client, endpoint } = exchange
  const { decision, rule, status, outcome, stage, error } = ended
  const name = objectOf(exchange)
  return {
    operation: shortName(method),
    activity: READS.test(method) ? 'read' : 'other',
    actor: actorOf(exchange),
    decision,
    rule,
    status,
    outcome,
    code: error?.code,
    detail: error && shortName(error.message),
    target: resolved?.target.name,
    object: name === undefined ? undefined : { type: kindOf(exchange), name },
    revision: client.version,
    stage,
    view: endpoint.name,
  }
}

/** The name of what a request is about: the target's own where that is known. */
export function objectOf({ resolved, origin: { params } }: GatewayExchange): string | undefined {
  const named = resolved ? resolved.name : (params.name ?? params.uri)
  return typeof named === 'string' ? shortName(named) : undefined
}

export function kindOf({ method, resolved }: GatewayExchange): string {
  if (resolved) return KINDS[resolved.kind]
  return method.startsWith('resources/') ? 'resource' : 'name'
}

export function actorOf(exchange: GatewayExchange): AuditActor {
  const { auth, client, session } = exchange
  return {
    principal: auth?.principal,
    invokedBy: auth && actingParty(auth),
    client: client.info && { name: shortName(client.info.name) },
    clientId: auth?.clientId,
    session,
    from: sourceOf(exchange),
  }
}

/** Where a request came from. */
export function sourceOf({ peer, headers, serverContext }: GatewayExchange): string {
  if (peer !== undefined) return peer
  if (ClientTag.of(serverContext) !== undefined) return 'console'
  return headers ? 'http' : 'stdio'
}

/** Who uses the token of another (RFC 8693, section 4.1). */
export function actingParty({ claims }: AuthInfo): string | undefined {
  const { act } = claims
  return isJsonObject(act) && typeof act.sub === 'string' ? act.sub : undefined
}
