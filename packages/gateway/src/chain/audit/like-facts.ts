import type { AuthInfo } from '@gantry/mcp/exchange'
import type { AuditActor, EventFacts } from '../../audit/index.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { actingParty, type Ending, factsOf, kindOf, objectOf, sourceOf } from './exchange-facts.ts'

const MOST = 2000
/** Callers decide how long the names are that they ask for. */
const LONGEST = 1000

/**
 * The facts of requests that are like an earlier one: the same callers call the same tools again and again, and what is
 * said of that is made once. Only a place to look is chosen by names. Whether it is the same is compared member by member.
 */
export class LikeFacts {
  /** By how it ended, who asked, and for what. */
  readonly #known = new Map<string, Map<string, Map<string, EventFacts>>>()
  #count = 0

  find(exchange: GatewayExchange, ended: Ending): EventFacts {
    const { session, auth, client } = exchange
    const who = session ?? auth?.principal.subject ?? client.info?.name ?? ''
    const what = objectOf(exchange) ?? exchange.method
    const known = this.#known.get(ended.outcome)?.get(who)?.get(what)
    if (known && isLike(known, exchange, ended)) return known
    const facts = factsOf(exchange, ended)
    if (who.length + what.length <= LONGEST)
      this.#keep([ended.outcome, who, what], facts, known !== undefined)
    return facts
  }

  #keep(
    [outcome, who, what]: readonly [string, string, string],
    facts: EventFacts,
    isReplaced: boolean,
  ): void {
    if (this.#count >= MOST) {
      this.#known.clear()
      this.#count = 0
    }
    if (!isReplaced) this.#count++
    const byCaller = this.#known.get(outcome) ?? new Map<string, Map<string, EventFacts>>()
    const byObject = byCaller.get(who) ?? new Map<string, EventFacts>()
    this.#known.set(outcome, byCaller.set(who, byObject.set(what, facts)))
  }
}

/** Whether a request has the same facts, but for those of an error. */
function isLike(facts: EventFacts, exchange: GatewayExchange, ended: Ending): boolean {
  const { resolved, client } = exchange
  const { object } = facts
  return (
    facts.operation === exchange.method &&
    facts.decision === ended.decision &&
    facts.rule === ended.rule &&
    facts.status === ended.status &&
    facts.outcome === ended.outcome &&
    facts.stage === ended.stage &&
    facts.view === exchange.endpoint.name &&
    facts.target === resolved?.target.name &&
    facts.revision === client.version &&
    object?.name === objectOf(exchange) &&
    (!object || object.type === kindOf(exchange)) &&
    isActor(facts.actor, exchange)
  )
}

function isActor(actor: AuditActor, exchange: GatewayExchange): boolean {
  const { auth, client, session } = exchange
  return (
    actor.client?.name === client.info?.name &&
    actor.session === session &&
    actor.from === sourceOf(exchange) &&
    (auth ? isCaller(actor, auth) : actor.principal === undefined)
  )
}

function isCaller({ principal, clientId, invokedBy }: AuditActor, auth: AuthInfo): boolean {
  const { kind, issuer, subject } = auth.principal
  return (
    principal?.kind === kind &&
    principal.issuer === issuer &&
    principal.subject === subject &&
    clientId === auth.clientId &&
    invokedBy === actingParty(auth)
  )
}
