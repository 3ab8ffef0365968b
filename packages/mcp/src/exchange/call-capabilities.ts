import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { type ClientCapabilities, eraOf } from '../protocol/index.ts'
import type { ClientFacts, Exchange } from './exchange.ts'

/** Carries one call's client capabilities over a shared legacy connection, for servers of this SDK. */
export const CALL_CAPABILITIES = 'dev.gantry/clientCapabilities'

/**
 * In the `_meta` of `server/discover`: the server asks in rounds whatever it asks live in the older era, as servers
 * built on this SDK do. A gateway needs no connection of the older era for the questions of such a server.
 */
export const ASKS_IN_ROUNDS = 'dev.gantry/asksInRounds'

const QUESTIONS = ['elicitation', 'sampling', 'roots'] as const

/** `_meta` for a modern client's call that has less than the connection declared; nothing for all others. */
export function capabilitiesMeta(client: ClientFacts, declared: ClientCapabilities): JsonObject {
  if (eraOf(client.version) !== 'modern') return {}
  if (QUESTIONS.every((name) => hasAll(client.capabilities[name], declared[name]))) return {}
  const left = narrowed(declared, client.capabilities)
  return {
    [CALL_CAPABILITIES]: Object.fromEntries(
      QUESTIONS.flatMap((name) => (left[name] ? [[name, left[name]]] : [])),
    ),
  }
}

/** The capabilities of one request: those of the session, or fewer where the request says so. */
export function callCapabilities(declared: ClientCapabilities, params: JsonObject): ClientCapabilities {
  const said = isJsonObject(params._meta) ? params._meta[CALL_CAPABILITIES] : undefined
  return isJsonObject(said) ? narrowed(declared, said) : declared
}

/** Whether whoever asked, perhaps behind a gateway, knows the error for a capability that is missing. */
export function knowsMissingCapability({ client, params }: Exchange): boolean {
  if (eraOf(client.version) === 'modern') return true
  return isJsonObject(params._meta) && isJsonObject(params._meta[CALL_CAPABILITIES])
}

/** Whether narrowing would leave everything that was declared. */
function hasAll(theirs: unknown, mine: unknown): boolean {
  if (!isJsonObject(mine)) return true
  return isJsonObject(theirs) && Object.keys(mine).every((key) => Object.hasOwn(theirs, key))
}

/** What both have; nobody gets more than was declared. */
function narrowed(declared: ClientCapabilities, other: JsonObject): ClientCapabilities {
  const left: JsonObject = { ...declared }
  for (const name of QUESTIONS) {
    const [mine, theirs] = [declared[name], other[name]]
    if (!isJsonObject(mine)) continue
    if (!isJsonObject(theirs)) delete left[name]
    else left[name] = Object.fromEntries(Object.entries(mine).filter(([key]) => Object.hasOwn(theirs, key)))
  }
  return left
}
